"""Tests what `verify` and `upgrade --by-running` see of faults planted in a small network."""

import json
import os

import pytest

import fork_server
from paths import PROGRAMS
from script_folder import run_output

pytestmark = [pytest.mark.slow, pytest.mark.newest_alone]

# Whether `verify` sees the fault in ten steps, and whether `upgrade` does in what the program
# fetches.
SEEN = {
    "learning rate 0.1 % larger": (True, False),
    "learning rate 1 % larger": (True, True),
    "momentum 0.901 for 0.9": (True, True),
    "nesterov momentum": (True, True),
    "decay of moving averages 0.99 for 0.9": (True, False),
    "moving averages not updated": (True, False),
    "decay of weight average 0.98 for 0.99": (True, True),
    "one input element 0.001 larger": (True, False),
    "two labels of a batch exchanged": (True, True),
    "batches 2 and 3 exchanged": (True, True),
    "last batch one row shorter": (True, True),
    "weight decay 10 % larger": (True, False),
    "clip norm 0.1 % larger": (True, False),
    "dropout keeps 0.899 for 0.9": (True, True),
    "dropout with another seed": (True, True),
    "epsilon 10 % larger": (True, False),
    "one weight starts 1e-6 larger": (True, False),
    "one bias starts at 1e-9": (True, False),
    "global step starts at 1": (True, True),
    "momentum starts at 1e-4": (True, True),
    "schedule one step late": (True, True),
    "step 6 applied twice": (True, True),
    "one variable frozen": (True, True),
    "one variable stopped in the loss": (True, True),
    "one element of 1,200,000 changed": (True, False),
    # Not in the training steps, or after the tenth.
    "weight average not restored": (False, True),
    "one label of step 12 changed": (False, True),
    "one step fewer": (False, True),
    "one run without numbers fewer": (False, True),
    "reported loss 0.2 % larger": (False, True),
    "count 20,041 for 20,040": (False, True),
    "identifier 2**60 + 1 for 2**60": (False, True),
    "two of 1,000 numbers exchanged": (False, True),
    "0.9 for 0.5 beside 1000.0": (False, True),
    "NaN for a number": (False, True),
    "one truth value of 2,000": (False, True),
    "conjugate of a complex number": (False, True),
    "extra fetch with the name of another": (False, True),
    "swallowed error of a session": (False, True),
}
# Neither sees these. Of the first three, no sentence says that the numbers are the same to the last
# bit.
UNSEEN = {
    "weight decay of a bias too": "values within 2.0e-05 of the largest in each variable",
    "minus zero for zero": "within 0e+00 of their size",
    "float64 for float32": "within 0e+00 of their size",
    "swallowed error of NumPy": "to the last bit",
    "another number written to a file": "to the last bit",
}
# What `upgrade` leaves is within its limits, and said as a figure.
WITHIN = {
    "learning rate 0.1 % larger": "within 7e-04 of their size and 1e-03 of their changes",
    "one input element 0.001 larger": "within 2e-05 of their size",
    "weight decay 10 % larger": "within 2e-04 of their size",
    "clip norm 0.1 % larger": "within 7e-04 of their size and 1e-03 of their changes",
    "epsilon 10 % larger": "within 2e-05 of their size",
}


@pytest.fixture(scope="module")
def found():
    """Returns what both comparisons say of each fault."""
    output = run_output(os.path.join(PROGRAMS, "planted_faults.py"), under=fork_server.UNDER_PYTHON)
    return json.loads(output.splitlines()[-1])


def test_no_fault_is_the_same(found):
    sentences = [sentence for _, sentence in found["no fault"].values()]
    assert sentences[0] == "The same for 10 steps, to the last bit."
    assert sentences[1] == "18 runs with numbers, 29 values, to the last bit"
    assert {*SEEN, *UNSEEN, "no fault"} == set(found)


@pytest.mark.parametrize("fault", SEEN)
def test_what_is_seen(found, fault):
    by_verify, by_upgrade = (outcome == "differs" for outcome, _ in found[fault].values())
    assert (by_verify, by_upgrade) == SEEN[fault]


@pytest.mark.parametrize("fault", UNSEEN)
def test_what_is_not_seen(found, fault):
    outcomes, sentences = zip(*found[fault].values())
    assert outcomes == ("same", "same")
    assert UNSEEN[fault] in " ".join(sentences)


@pytest.mark.parametrize("fault", WITHIN)
def test_what_is_within_the_limits_is_no_identity(found, fault):
    assert WITHIN[fault] in found[fault]["upgrade"][1]


@pytest.mark.parametrize(
    "fault, name",
    [
        ("momentum starts at 1e-4", "the optimizer's variable w1/Momentum:0"),
        ("moving averages not updated", "the moving average moving_mean:0"),
        ("global step starts at 1", "the untrained variable step:0"),
        ("schedule one step late", "at step 9, in the value of "),
        ("one input element 0.001 larger", "at step 3, in the loss"),
    ],
)
def test_where_it_is_seen(found, fault, name):
    assert name in found[fault]["verify"][1]
