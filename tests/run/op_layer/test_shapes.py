"""Tests shapes and dimensions: 1.15.5 prints the same."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)


def test_dimensions_compare_as_in_1_15(tmp_path):
    script = """
    D = tf.Dimension
    unknown = D(None)
    print(bool(unknown), bool(D(0)))
    print(unknown == unknown, D(None) == D(2), D(2) == D(2), D(2) == 3)
    print([D(2).is_compatible_with(each) for each in (3, 2, unknown)])
    print([bool(D(2).is_compatible_with(each)) for each in (tf.constant(3), "text")])
    """
    assert output_of(script, tmp_path).splitlines() == [
        "True True",
        "None None True False",
        "[False, True, True]",
        "[True, True]",
    ]


def test_shapes_with_unknown_dimensions_differ(tmp_path):
    script = """
    S = tf.TensorShape
    same = S([None])
    print(same == same, same != same, S([None, 2]) == S([None, 2]), S([None, 2]) != S([None, 2]))
    print(S([2]) == [2], S([2]) != [3], S([2]) == S([2, 1]))
    print(S(None) == S(None), S(None) == S([2]), S([2]) == "text", S([2]) != "text")
    for shape in (S(None), S([2])):
        for other in (S(None), S([3])):
            try:
                print(shape != other)
            except ValueError as error:
                print(error)
    """
    undefined = "The inequality of unknown TensorShapes is undefined."
    assert output_of(script, tmp_path).splitlines() == [
        "True False False True",
        "True True False",
        "True False False True",
        *[undefined] * 3,
        "True",
    ]


def test_whole_floats_and_digits_are_dimensions(tmp_path):
    script = """
    print(tf.placeholder(tf.float32, [None, 8 / 2]).shape, tf.Dimension("3"),
          tf.Dimension(np.float32(2.0)))
    for value in (2.5, "three", -1):
        try:
            tf.Dimension(value)
        except (TypeError, ValueError) as error:
            print("refused")
    """
    assert output_of(script, tmp_path).splitlines() == ["(?, 4) 3 2", *["refused"] * 3]
