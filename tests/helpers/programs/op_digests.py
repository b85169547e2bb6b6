"""Compares the ops of a graph, each a text,
with the digests of the ops that TensorFlow 1.15 made.
"""

import difflib
import hashlib

LENGTH = 4  # of a digest: short, since a record has some ten thousand


def digests(rows):
    """Returns a digest of each text, as one string."""
    return "".join(hashlib.sha1(row.encode()).hexdigest()[:LENGTH] for row in rows)


def differences(recorded, rows):
    """Returns the rows that are not recorded, and says after which row others are recorded."""
    theirs, ours = (
        [text[start : start + LENGTH] for start in range(0, len(text), LENGTH)]
        for text in (recorded, digests(rows))
    )
    matcher = difflib.SequenceMatcher(None, theirs, ours, autojunk=False)
    found = []
    for kind, start, end, first, last in matcher.get_opcodes() if theirs != ours else ():
        if kind != "equal":
            place = f"after {rows[first - 1]}" if first else "first"
            found += [f"{end - start} of TensorFlow 1.15 {place}, and here", *rows[first:last]]
    return found
