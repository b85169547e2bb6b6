"""Chooses a release for each package that a program needs, by two dates.

Packages that stand on TensorFlow, Keras, NumPy or SciPy, and those that the program pins, are of
the program's date. So are all pure ones that come because of an import alone. Those that stand on
Matplotlib or pandas are of today, as these are. So are all others: the installed ones, or else the
newest that fit. What the installed TensorFlow needs is never replaced. Compiled packages cannot be
of the program's date: theirs is one at which they fit this Python and this NumPy, and not before
the program.
"""

from __future__ import annotations

from packaging.requirements import Requirement

from tf1grad.programs.names import packages
from tf1grad.programs.names.packages import normalized
from tf1grad.programs.period import parts, sources
from tf1grad.programs.process import messages
from tf1grad.run.packages import (
    ALL,
    NO_DATE,
    UNDECLARED,
    of_then,
    of_today,
    program_date,
)
from tf1grad.run.packages.choices import INSTALLED, NONE, PERIOD, THEN, Choice, PackagePlan
from tf1grad.run.packages.declared import Declared
from tf1grad.run.packages.of_then import OfThen
from tf1grad.run.packages.program_date import ProgramDate
from tf1grad.run.packages.releases import Release
from tf1grad.run.packages.resolver import WITHOUT_DATES, Resolver

SERVES = "; it can answer a network, and lacks later security fixes"
ONLY_CONDA = "the package index has no such release, and its package of that name may be another one than conda's"
CHOOSING = "choosing releases of {}, of {}"


def own_requirements(declared: Declared) -> list[Requirement]:
    """Returns what a program declares, without TensorFlow, NumPy and what came into Python."""
    return [each for each in declared.requirements if not packages.is_left_out(each.name)]


def _dated(declared: Declared) -> list[Requirement]:
    """Returns what a program declares whose pins date it:
    its own requirements, TensorFlow and NumPy.
    """
    others = (*packages.TENSORFLOW, "numpy")
    own = own_requirements(declared)
    return own + [each for each in declared.requirements if normalized(each.name) in others]


def _find_date(
    declared: Declared, program_folder: str, date: str | None, resolver: Resolver
) -> tuple[ProgramDate, dict[str, str]]:
    """Returns the program's date, and why pins that date it cannot be had,
    by the names of their packages.
    """
    if date is not None and date not in (ALL, NO_DATE):
        return ProgramDate(date, "--date"), {}
    # It names no day: the pins date the program, or else its last commit.
    return program_date.find_date(_dated(declared), program_folder, resolver)


def make(
    declared: Declared,
    program_folder: str,
    date: str | None,
    numpy: str,
    resolver: Resolver,
    is_declared: bool = True,
) -> PackagePlan:
    """Chooses releases for what a program declares; files are unpacked in the resolver's folder.

    `date` is a day, "all" (all pure packages are of the program's date), "none" (none is) or None.
    `numpy` is the version of the NumPy that the program gets. If not `is_declared`, the program
    imports it alone: all pure packages are of the program's date then, but those that stand on
    Matplotlib or pandas. Raises `sources.Failed` where the index gives no upload times
    and `date` is not "none".
    """
    if is_declared:
        number = messages.counted(len(own_requirements(declared)), "package")
        messages.say(CHOOSING.format(number, resolver.address))
    day, absent = _find_date(declared, program_folder, date, resolver)
    # `--date all` and `none` are about packages that an import brings, too.
    policy = date if is_declared or date in (ALL, NO_DATE) else UNDECLARED
    facts = of_then.collect_facts(declared, policy, numpy, resolver)
    # TensorFlow and NumPy date the program, and are never brought.
    absent = {name: why for name, why in absent.items() if name in facts.own}
    then = of_then.resolve(facts, day, absent)
    # An index without upload times refuses every package: that is one cause, and no plan.
    if not then.releases and WITHOUT_DATES in then.refused.values():
        raise sources.Failed(WITHOUT_DATES)
    choices = {name: _choice_of_then(name, then) for name in then.releases}
    choices = {**choices, **{name: _refusal(name, then) for name in then.refused}}
    choices = of_today.add_wheels(then, choices)
    choices, of_sources = of_today.add_sources(then, choices)
    folders = {name: package.folder for name, package in {**then.read, **of_sources}.items()}
    return PackagePlan(then.date, [choices[name] for name in sorted(choices)], folders)


def _choice_of_then(name: str, then: OfThen) -> Choice:
    """Returns the release of then, or the one that the layer or the environment has;
    else `NONE`, for today.
    """
    release, asked = then.releases[name], then.facts.asked(name, then.needs)
    wanted = ",".join(sorted({str(each.specifier) for each in asked} - {""}))
    # It comes before the period layer's, which are 2.2 and 2.3: in older Keras layers have other
    # names, or compute other values.
    if name == "keras" and _is_old_keras(release, then):
        why = f"uploaded {release.uploaded}; it is asked for, and the period layer has none that is near"
        return Choice(name, wanted, THEN, release.version, why, release)
    if name in packages.IN_LAYER:
        return _choice_of_layer(name, wanted, release.version)
    here = then.facts.version_here(name)
    # Also against a pin: an old one would break the installed TensorFlow.
    if name in then.facts.never and here:
        return Choice(name, wanted, INSTALLED, here, "the installed TensorFlow needs it")
    # Only what is not of then may be the installed one, so this comes before it.
    if then.is_taken(name):
        why = f"uploaded {release.uploaded}; {_reason_of_then(name, then)}"
        why += SERVES * then.read[name].serves
        return Choice(name, wanted, THEN, release.version, why, release)
    # A compiled one stays also where another one is asked for: few releases of then have a wheel
    # for this Python.
    is_fitting = here and all(each.specifier.contains(here, True) for each in asked)
    if here and (is_fitting or name in then.compiled()):
        return Choice(name, wanted, INSTALLED, here, "it is installed")
    return Choice(name, wanted, NONE, "", then.reason(name))


def _refusal(name: str, then: OfThen) -> Choice:
    """Returns the choice for a package of which no release of then fits:
    it is there, or `NONE` with the reason.
    """
    facts = then.facts
    asked = facts.asked(name, then.needs)
    here = facts.version_here(name)
    # What other packages ask gave way, and is not named.
    wanted = str(facts.own[name].specifier) if name in facts.own else ""
    if name in packages.IN_LAYER:
        return _choice_of_layer(name, wanted, "")
    if name in facts.never and here:
        return Choice(name, wanted, INSTALLED, here, "the installed TensorFlow needs it")
    if here and all(each.specifier.contains(here, True) for each in asked):
        return Choice(name, wanted, INSTALLED, here, "it is installed")
    why = ONLY_CONDA if name in facts.of_conda else then.refused[name]
    return Choice(name, wanted, NONE, "", why)


def _choice_of_layer(name: str, wanted: str, release_of_then: str) -> Choice:
    """Returns the layer's release, which of Keras depends on that of then."""
    is_keras = name == "keras"
    version = (
        parts.release(parts.keras_for(release_of_then)) if is_keras else parts.library_release(name)
    )
    return Choice(name, wanted, PERIOD, version, "the period layer has it")


def _reason_of_then(name: str, then: OfThen) -> str:
    if then.facts.is_pinned(name):
        return "the program pins it"
    if then.read[name].stands_on_tensorflow:
        left = then.left.get(name)
        return "it stands on TensorFlow" + (f", and {left} requires TensorFlow 2" if left else "")
    return "it stands on NumPy" if then.read[name].stands_on_numpy else "so are all pure ones"


def _is_old_keras(release: Release, then: OfThen) -> bool:
    """Says whether the program or a package asks for a Keras before 2.2,
    and refuses that of the layer.
    """
    is_old = packages.numbers(release.version) < [2, 2]
    of_layer = parts.release(parts.keras_for(release.version))
    asked = then.facts.asked("keras", then.needs)
    is_refused = any(not each.specifier.contains(of_layer) for each in asked)
    return is_old and is_refused and then.is_taken("keras")
