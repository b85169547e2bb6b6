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
