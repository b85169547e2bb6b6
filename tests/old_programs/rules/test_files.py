"""TFG0: files that are Python 2; `test_check_command.py` has those that cannot be read."""

import pytest

CASES = {
    "python_2": """
    print(unicode('x'))  #! TFG002
    try:
        range = xrange
    except NameError:
        pass
    """,
}


@pytest.mark.parametrize("text", list(CASES.values()), ids=list(CASES))
def test_findings(check_announced, text):
    check_announced(text)


def test_what_python_itself_refuses_only_later_is_read(check_announced):
    check_announced("""
    nonlocal w
    sess.run(train, feed_dict=dict(zip()))
    tf.contrib.opt.ScipyOptimizerInterface(loss)  #! TFG101
    """)


@pytest.mark.parametrize("test", [
    "sys.version_info[0] < 3", "sys.version_info < (3, 0)", "six.PY2", "not six.PY3", "sys.version_info.major == 2",
    "sys.version[0] == '2'", "IS_PY2", "not (sys.version_info > (3,))"])
def test_code_for_python_2_alone_is_not_judged(check_announced, test):
    check_announced(f"""
    import sys, six
    if {test}:
        import cPickle as pickle
        n = unicode(1)
    else:
        import cPickle  #! TFG401
        n = unicode(1)  #! TFG002
    m = unicode(2) if {test} else unicode(3)  #! TFG002
    """)


def test_code_for_tensorflow_before_1_0_is_not_judged(check_announced):
    check_announced("""
    if tf.__version__ < "1.0":
        y = tf.mul(tf.concat(0, [x]), 2.0)
    else:
        y = tf.mul(x, 2.0)  #! TFG109
    z = tf.mul(x, 2.0) if tf.__version__.startswith("0") else None  #! TFG109
    if tf.__version__ < "2":  #! TFG106
        z = tf.mul(x, 2.0)  #! TFG109
    """)


def test_other_tests_of_the_version(check_announced):
    check_announced("""
    import sys
    if sys.version_info[1] > 8 or sys.platform == "linux":
        n = unicode(1)  #! TFG002
    """)
