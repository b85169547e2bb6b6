"""Tests which errors led to a raised one."""

import itertools

from tf1grad.programs.process import raised_errors


def test_an_error_comes_with_what_led_to_it():
    try:
        try:
            try:
                raise KeyError("first")
            except KeyError as error:
                raise ValueError("second") from error
        except ValueError:
            {}["third"]
    except KeyError as error:
        found = list(raised_errors.causes(error))
    assert [each.args[0] for each in found] == ["third", "second", "first"]
    assert list(raised_errors.causes(None)) == []


def test_errors_that_name_each_other_come_once():
    first, second = KeyError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert list(itertools.islice(raised_errors.causes(first), 9)) == [first, second]
