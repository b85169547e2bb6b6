"""Tests cases of graphs, datasets, Keras, checkpoints,
contrib and eager code against TensorFlow 1.15.5's values.
"""

import functools
import json
import os

import numpy as np
import pytest

import records
from paths import PROGRAMS
from script_folder import ScriptFolder, run_output

RECORDED = records.read("cases")
IN_SHORT_RUN = set(
    """
    copies_of_ops defined_functions event_files feature_columns frozen_graphs gradients_of_tapes
    names_of_ops_by_position optimizers_are_restored py_func rare_ops singular_systems star_imports""".split()
)
ON_1_15 = set(
    """
    bucket_by_sequence_length checkpoint_keywords feature_columns learn_experiment learn_regressor local_variable
    nest_names py_func singular_matrices singular_systems strategies summary_names""".split()
)


def flat(value):
    """Yields the numbers and texts in nested lists and dicts, with the length of each."""
    if isinstance(value, dict):
        value = [list(item) for item in sorted(value.items())]
    if isinstance(value, list):
        yield len(value)
        for each in value:
            yield from flat(each)
    else:
        yield value


@pytest.fixture(scope="module")
def found(names_of_run, tmp_path_factory):
    """Returns a function that gives the values of the cases of a mode, by name."""

    @functools.lru_cache(None)
    def of_mode(mode):
        names = [name.split()[0] for name in names_of_run if name.split()[1] == mode]
        folder = ScriptFolder(tmp_path_factory.mktemp(mode)).path
        printed = run_output(
            os.path.join(PROGRAMS, "recorded_cases.py"), mode, *names, folder=folder
        )
        return json.loads(printed.splitlines()[-1])

    return of_mode


def _case(name):
    case = name.split()[0]
    marks = [pytest.mark.period(on_1_15=case in ON_1_15)]
    if case not in IN_SHORT_RUN:
        marks.append(pytest.mark.slow)
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [_case(name) for name in sorted(RECORDED)])
def test_case_has_the_value_of_1_15(name, found):
    case, mode = name.split()
    values, expected = list(flat(found(mode)[case])), list(flat(RECORDED[name]))
    assert len(values) == len(expected), (found(mode)[case], RECORDED[name])
    for value, reference in zip(values, expected):
        if isinstance(reference, float):
            np.testing.assert_allclose(value, reference, rtol=1e-6, atol=1e-7)
        else:
            assert value == reference
