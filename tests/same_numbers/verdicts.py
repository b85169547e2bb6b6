"""Compares what a TensorFlow gives for a specimen with what TensorFlow 1.15 gave; the table of all."""

FIELDS = ("function", "code", "variant", "verdict", "what", "same_types", "told")
SLACK = 2e-5  # of the sum of the values' magnitudes: float32, in another order


def row(function, code, variant, expected, found):
    """Returns a dict with FIELDS. Verdicts: equal, told (by `run`), silent, missing (it raises here)."""
    if not isinstance(found, list) or not isinstance(expected, list):
        verdict = "equal" if not isinstance(expected, list) and not isinstance(found, list) else "missing"
        return dict(zip(FIELDS, (function, code, variant, verdict, "" if verdict == "equal" else found, False, None)))
    told = found[-1]
    what = "; ".join(differences(expected, found))
    verdict = "equal" if not what else "told" if told else "silent"
    return dict(zip(FIELDS, (function, code, variant, verdict, what, expected[2:4] == found[2:4], told)))


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
