"""Lists the parts of the period layer: the wheels of each, and which of their files are kept."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from typing import Callable, NamedTuple, Sequence

from tf1grad.programs.names.packages import numbers
from tf1grad.programs.period import folder

# As `sha256sum` writes them.
CHECKSUMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checksums.txt")
MARK = "+"  # before the digest of a part's requirements, in the name of its folder
PACKAGES = "site-packages"  # below a part whose folder is put on the path of a process


def _kept_package(name: str) -> str | None:
    """Keeps a package without its metadata, by which pip would take it for one of the user's,
    and without its tests.
    """
    if ".dist-info/" in name or "/tests/" in name or name.endswith((".pyi", ".pyc")):
        return None
    return f"{PACKAGES}/{name}"


class PeriodPart(NamedTuple):
    """Describes a part: its folder, how messages call it,
    the releases of which it consists, as pip reads them.

    `download` and `on_disk` are sizes in MB. `kept` maps the path of a file in a wheel to its path
    in the part; None leaves the file out. `options` are what else pip needs to find the wheels.
    `folders` are those that a Python with TensorFlow 1.15 has of it.
    """

    name: str
    title: str
    requirements: Sequence[str]
    download: int
    on_disk: int
    kept: Callable[[str], str | None] = _kept_package
    options: Sequence[str] = ()
    folders: Sequence[str] = ()

    def space(self) -> int:
        """Returns the MB that fetching it needs for a moment:
        pip copies a wheel, and then its files are unpacked.
        """
        return max(2 * self.download, self.download + self.on_disk)


def peak(wanted: Sequence[PeriodPart]) -> int:
    """Returns the MB that fetching parts one after another needs for a moment,
    with those that pip's cache keeps.
    """
    before, highest = 0, 0
    for part in wanted:
        highest = max(highest, before + part.download + part.space())
        before += part.download + part.on_disk
    return highest


def release(part: PeriodPart) -> str:
    """Returns the release of the first of the part's requirements."""
    return part.requirements[0].partition("==")[2]


def _kept_original(name: str) -> str | None:
    """Keeps the Python files that are served, and the small tables that `contrib.learn` reads."""
    return name if name.startswith(SERVED) and name.endswith((".py", ".csv")) else None


def named_after_content(part: PeriodPart) -> PeriodPart:
    """Returns the part with a digest of its requirements in its name.

    A tf1grad with other requirements then has a folder of its own, and does not take an older one
    for it.
    """
    digest = hashlib.sha256(" ".join(part.requirements).encode()).hexdigest()[:8]
    return part._replace(name=f"{part.name}{MARK}{digest}")


SERVED = (
    *(folder.ROOT + top for top in ("/_api/v1/", "/contrib/", "/core/kernels/", "/python/")),
    folder.ESTIMATOR + "/",
)


def _for(python: str, abi: str, platform: str) -> Sequence[str]:
    """Returns pip's options that take wheels for another Python than this."""
    return (
        *("--python-version", python, "--implementation", "cp"),
        *("--abi", abi, "--platform", platform),
    )


# All wheels have the same Python files. This one is used on every system, and never executed.
TENSORFLOW = PeriodPart(
    folder.NAME,
    f"TensorFlow {folder.RELEASE}'s own Python files",
    (f"tensorflow=={folder.RELEASE}", "tensorflow_estimator==1.15.1"),
    112,
    33,
    _kept_original,
    _for("3.7", "cp37m", "manylinux2010_x86_64"),
    SERVED,
)
# TensorFlow 1.15's wheel required them.
LIBRARIES = named_after_content(
    PeriodPart(
        "libraries-1.15",
        "three packages that TensorFlow 1.15 required",
        ("astor==0.8.1", "Keras_Applications==1.0.8", "Keras_Preprocessing==1.1.2"),
        1,
        1,
        folders=("astor/", "keras_applications/", "keras_preprocessing/"),
    )
)


def library_release(name: str) -> str:
    """Returns the release of one of `LIBRARIES`, by its name as pip writes it."""
    pins = (each.lower().replace("_", "-").partition("==") for each in LIBRARIES.requirements)
    return next(release for library, _, release in pins if library == name)


def _kept_reader(name: str) -> str | None:
    """Keeps of setuptools the module pkg_resources, which its newest releases do not have,
    and what that imports.
    """
    is_left_out = name.startswith(("_distutils_hack", "distutils-", "setuptools/"))
    return None if is_left_out and "/_vendor/" not in name else _kept_package(name)


# fissix needs appdirs; tomli reads uv's answers before Python 3.11.
READERS = named_after_content(
    PeriodPart(
        "readers",
        "fissix, tomli and pkg_resources",
        ("fissix==24.4.24", "appdirs==1.4.4", "tomli==2.0.1", "setuptools==75.8.0"),
        2,
        3,
        _kept_reader,
    )
)


def _kept_keras(name: str) -> str | None:
    is_left_out = name.endswith(".so") or name.startswith("docs/")
    return None if is_left_out else _kept_package(name)


def _keras(release: str) -> PeriodPart:
    """Returns a part with Keras. Its PyYAML is kept without compiled modules:
    one wheel serves every system.
    """
    return named_after_content(
        PeriodPart(
            f"keras-{release}",
            f"Keras {release}",
            (f"Keras=={release}", "PyYAML==6.0.2"),
            2,
            3,
            _kept_keras,
            _for("3.11", "cp311", "manylinux2014_x86_64"),
        )
    )


# For programs that import `keras`, and that ask for Keras 2.2.
KERAS, KERAS_2_2 = (
    _keras("2.3.1"),
    _keras("2.2.4"),
)


def keras_for(release: str) -> PeriodPart:
    """Returns the Keras for programs that ask for a `release` such as "2.2.0",
    or for any if it is "".
    """
    is_2_2 = bool(release) and numbers(release) < [2, 3]
    return KERAS_2_2 if is_2_2 else KERAS


# The last NumPy 1, which Python 3.13 does not have.
NUMPY_1 = "1.26.4"
# The last NumPy 2 that promotes types as NumPy 1 did, if it is asked to.
NUMPY_2 = "2.1.3"
_NUMPY = {(3, 10): NUMPY_1, (3, 11): NUMPY_1, (3, 12): NUMPY_1, (3, 13): NUMPY_2}


def numpy_of(python: tuple[int, int]) -> PeriodPart | None:
    """Returns the part with NumPy for a version of Python;
    None where that NumPy does not run on it.
    """
    version = _NUMPY.get(python)
    if version is None:
        return None
    name = f"numpy-{version}-cp{python[0]}{python[1]}"
    return PeriodPart(name, f"NumPy {version}", (f"numpy=={version}",), 18, 65)


def _kept_of_ipython(name: str) -> str | None:
    """Keeps with the packages the metadata by which Matplotlib finds the backend inline."""
    is_metadata = name.startswith("matplotlib_inline") and ".dist-info/" in name
    return f"{PACKAGES}/{name}" if is_metadata else _kept_package(name)


def _ipython(*requirements: str) -> PeriodPart:
    return named_after_content(
        PeriodPart(
            "ipython",
            f"IPython {requirements[0].partition('==')[2]}, which executes notebooks",
            (
                *requirements,
                "colorama==0.4.6",
                "pexpect==4.9.0",
                "ptyprocess==0.7.0",
                "wcwidth==0.2.13",
            ),
            3,
            22,
            _kept_of_ipython,
        )
    )


IPYTHON = (
    _ipython(
        "ipython==8.37.0",
        "asttokens==3.0.0",
        "decorator==5.2.1",
        "exceptiongroup==1.2.2",
        "executing==2.2.0",
        "matplotlib_inline==0.1.7",
        "prompt_toolkit==3.0.50",
        "pure_eval==0.2.3",
        "pygments==2.19.1",
        "stack_data==0.6.3",
        "traitlets==5.14.3",
    )
    if sys.version_info >= (3, 10)
    else _ipython(
        "ipython==7.34.0",
        "backcall==0.2.0",
        "decorator==5.1.1",
        "matplotlib_inline==0.1.6",
        "pickleshare==0.7.5",
        "prompt_toolkit==3.0.48",
        "pygments==2.17.2",
        "traitlets==5.9.0",
    )
)


def _kept_program(name: str) -> str | None:
    """Keeps the program of a wheel alone."""
    is_wanted = re.search(r"\.data/scripts/uv(\.exe)?$", name)
    return "bin/" + name.rpartition("/")[2] if is_wanted else None


# It resolves what programs declare.
UV = named_after_content(
    PeriodPart(
        "uv-0.13.9",
        "uv 0.13.9, which resolves packages",
        ("uv==0.13.9",),
        18,
        38,
        _kept_program,
    )
)


def every_part() -> list[PeriodPart]:
    """Returns the parts for this Python."""
    of_numpy = numpy_of(sys.version_info[:2])
    numpy = [of_numpy] if of_numpy else []
    return [TENSORFLOW, LIBRARIES, *numpy, READERS, IPYTHON, KERAS, KERAS_2_2, UV]


def read_checksums() -> dict[str, str]:
    """Returns the SHA-256 of each wheel that a part may come from, by its file name."""
    with open(CHECKSUMS, encoding="ascii") as file:
        lines = [line.split() for line in file]
    return {name: checksum for checksum, name in lines}
