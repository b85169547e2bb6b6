"""Arrays of one number count as that number in upgraded programs, as with NumPy before 2."""

import numpy as np
import pytest

from tf1grad.migrate import arrays

# Values, and whether NumPy 1 took them for one number where a number was needed.
ONE = [np.array([3]), np.array([[2.5]]), np.array([True]), np.array([[[1j]]])]
OTHERS = [
    np.array(3),
    np.array([1, 2]),
    np.array([]),
    np.array(["3"]),
    np.ma.masked_array([3]),
    [3],
    3,
    "3",
]


@pytest.mark.parametrize("value", ONE, ids=repr)
def test_an_array_of_one_number_becomes_it(value):
    for number in (arrays.unwrap_number(value), arrays.unwrap_element(value, np.zeros(2))):
        assert np.ndim(number) == 0 and number == value.item()


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_other_values_stay(value):
    assert arrays.unwrap_number(value) is value
    assert arrays.unwrap_element(value, np.zeros(2)) is value
    assert arrays.unwrap_operand(value) is value


def test_an_element_of_a_list_stays_an_array():
    value = np.array([3])
    assert arrays.unwrap_element(value, [0, 0]) is value
    assert arrays.unwrap_element(value, np.array([None])) is value


@pytest.mark.parametrize(
    "text, values, expected",
    [
        ("%d", np.array([3]), "3"),
        ("%.1f and %x", (np.array([2.5]), np.array([[255]])), "2.5 and ff"),
        ("%(a)d", {"a": np.array([7])}, "7"),
        ("%s, %r", (np.array([3]), np.array([3])), "[3], array([3])"),
    ],
)
def test_formats_get_numbers_from_arrays_of_one(text, values, expected):
    assert text % arrays.unwrap_operand(values) == expected


@pytest.mark.filterwarnings("ignore:.*out-of-bound Python integers:DeprecationWarning")
def test_numbers_that_a_dtype_does_not_hold_wrap_around():
    assert arrays.array([256, -1], np.uint8).tolist() == [0, 255]
    assert [list(row) for row in arrays.array([[1, 2], [3]])] == [[1, 2], [3]]
