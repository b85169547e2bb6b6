"""Compares what a TensorFlow gives for a specimen with what TensorFlow 1.15 gave; the table of all.

`python tests/same_numbers/verdicts.py FILE...` writes what `run` knows of it, from rows that `measure.py --json` wrote
on several versions without the op layer.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MEASURED = os.path.join(HERE, os.pardir, os.pardir, "tf1grad", "old_programs", "seeds", "measured_functions.py")
SEED_CASES = os.path.join(HERE, os.pardir, "recorded", "seeds.json")
NOT_EQUAL = {"hessians", "atan2", "train.FtrlOptimizer"}  # of the functions in the seed cases
FIELDS = ("function", "code", "variant", "verdict", "what", "same_types", "told", "gradients")
SLACK = 2e-5  # of the sum of the values' magnitudes: float32, in another order


def row(function, code, variant, expected, found, gradients):
    """Returns a dict with FIELDS. Verdicts: equal, told (by `run`), silent, missing (it raises here)."""
    if not isinstance(found, list) or not isinstance(expected, list):
        verdict = "equal" if not isinstance(expected, list) and not isinstance(found, list) else "missing"
        return dict(zip(FIELDS, (function, code, variant, verdict, "" if verdict == "equal" else found, False, None,
                                 gradients)))
    told = found[-1]
    what = "; ".join(differences(expected, found))
    verdict = "equal" if not what else "told" if told else "silent"
    return dict(zip(FIELDS, (function, code, variant, verdict, what, expected[2:4] == found[2:4], told,
                             gradients)))


def differences(expected, found):
    """Returns the differences, as sentences."""
    if expected[0] != found[0]:
        yield f"ops {expected[0]} | {found[0]}"
    if expected[1] != found[1]:
        yield f"gradient ops {expected[1]} | {found[1]}"
    if expected[4] != found[4]:
        yield "names of variables"
    if not _close(expected[5], found[5]):
        yield f"values {expected[5]} | {found[5]}"


def _close(expected, found):
    if not (isinstance(expected, list) and isinstance(found, list)):
        return expected == found
    return all(abs(one - other) <= SLACK * max(1., expected[2]) or one != one and other != other
               for one, other in zip(expected, found))


def table(rows):
    """Returns the counts of all verdicts, and a line for each specimen that is not equal."""
    verdicts = ("equal", "told", "silent", "missing")
    counts = [f"{verdict} {sum(found['verdict'] == verdict for found in rows)}" for verdict in verdicts]
    lines = [f"{found['verdict']:<8} {found['variant']:<2} {found['code']}\n{'':14}{found['what']}"
             + (f" ({found['told']})" if found["told"] else "") for found in rows if found["verdict"] != "equal"]
    return "\n".join(lines + [f"{len({found['function'] for found in rows})} functions, {len(rows)} specimens: "
                              f"{', '.join(counts)}; the same types of ops: "
                              f"{sum(found['same_types'] for found in rows)}"])


def measured(rows, others_equal=()):
    """Returns the text of `seeds/measured_functions.py`; `others_equal` are functions that were measured elsewhere."""
    forward = {found["function"] for found in rows if found["what"] and not found["what"].startswith("gradient ops")}
    backward = [found for found in rows if found["what"].startswith("gradient ops")]
    good = {found["function"] for found in rows} - forward - {found["function"] for found in backward}
    types = {name for found in rows if found["function"] in good for name in found["gradients"]}
    others = {name for found in rows if not found["what"] for name in found["gradients"]} - types
    guilty = {name for found in backward for name in set(found["gradients"]) - types}
    forward |= {found["function"] for found in backward if not set(found["gradients"]) & guilty}
    equal = good | {found["function"] for found in backward} | set(others_equal)
    return TEXT % tuple(map(_lines, (equal - forward, forward, types | others - guilty)))


def _lines(names):
    lines = [""]
    for name in sorted(names):
        if len(lines[-1]) + len(name) > 115:
            lines.append("")
        lines[-1] += " " * bool(lines[-1]) + name
    return "\n    ".join(lines)


TEXT = '''"""Lists the results of `tests/same_numbers`, which writes this file, for functions and for gradients of ops.

EQUAL functions make as many ops as in TensorFlow 1.15, after correction by the rules of `op_rules`. DIFFERENT ones do
not, in at least one specimen. GRADIENTS are the types of ops with equal gradients. All others were not measured.
"""

from typing import Dict, Set

EQUAL = frozenset("""
    %s
""".split())

DIFFERENT = frozenset("""
    %s
""".split())

GRADIENTS = frozenset("""
    %s
""".split())

BY_NAME: Dict[str, Set[str]] = {}
for name in EQUAL:
    BY_NAME.setdefault(name.rpartition(".")[2], set()).add(name)
'''


def _write(paths):
    rows = []
    for path in paths:
        rows += _read(path)
    cases = " ".join(case["code"] for case in _read(SEED_CASES).values())
    with open(MEASURED, "w", encoding="utf-8") as file:
        file.write("" + measured(rows, set(re.findall(r"\btf\.([\w.]+)\(", cases)) - NOT_EQUAL))


def _read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


if __name__ == "__main__":
    _write(sys.argv[1:])
