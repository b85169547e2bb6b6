"""Compares what a TensorFlow gives for a specimen with what TensorFlow 1.15 gave; the table of all."""

FIELDS = ("function", "code", "variant", "verdict", "what", "same_types", "told")
SLACK = 2e-5  # of the sum of the values' magnitudes: float32, in another order


def row(function, code, variant, expected, found):
    """A dict with FIELDS. Verdicts: equal, told (by `run`), silent, missing (it raises here)."""
    if not isinstance(found, list) or not isinstance(expected, list):
        verdict = "equal" if not isinstance(expected, list) and not isinstance(found, list) else "missing"
        return dict(zip(FIELDS, (function, code, variant, verdict, "" if verdict == "equal" else found, False, None)))
    told = found[-1]
    what = "; ".join(differences(expected, found))
    verdict = "equal" if not what else "told" if told else "silent"
    return dict(zip(FIELDS, (function, code, variant, verdict, what, expected[2:4] == found[2:4], told)))


def differences(expected, found):
    """What differs: sentences."""
    if expected[0] != found[0]:
        yield "ops %d | %d" % (expected[0], found[0])
    if expected[1] != found[1]:
        yield "gradient ops %d | %d" % (expected[1], found[1])
    if expected[4] != found[4]:
        yield "names of variables"
    if not _close(expected[5], found[5]):
        yield "values %s | %s" % (expected[5], found[5])


def _close(expected, found):
    if not (isinstance(expected, list) and isinstance(found, list)):
        return expected == found
    return all(abs(one - other) <= SLACK * max(1., expected[2]) or one != one and other != other
               for one, other in zip(expected, found))


def table(rows):
    """The counts of all verdicts, and a line for each specimen that is not equal."""
    verdicts = ("equal", "told", "silent", "missing")
    counts = ["%s %d" % (verdict, sum(found["verdict"] == verdict for found in rows)) for verdict in verdicts]
    lines = ["%-8s %-2s %s\n%14s%s%s" % (found["verdict"], found["variant"], found["code"], "", found["what"],
                                         found["told"] and " (%s)" % found["told"] or "")
             for found in rows if found["verdict"] != "equal"]
    return "\n".join(lines + ["%d functions, %d specimens: %s; the same types of ops: %d" % (
        len({found["function"] for found in rows}), len(rows), ", ".join(counts),
        sum(found["same_types"] for found in rows))])
