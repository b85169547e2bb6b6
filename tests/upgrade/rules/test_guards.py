"""A `try` silences a finding about a name only where its handler catches the error
that the name would raise.
"""

import textwrap

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from upgraded_texts import upgraded_text

GUARDED = {
    "an import and its replacement": """
        try:
            import cPickle as pickle
        except ImportError:
            import pickle
        """,
    "the new name first": """
        try:
            import queue
        except ImportError:
            import Queue as queue
        """,
    "a bare handler of an import": """
        try:
            import os
            import urllib2
        except:
            urllib2 = None
        """,
    "a missing module": """
        try:
            import cPickle
        except ModuleNotFoundError:
            pass
        """,
    "a builtin": """
        try:
            text_type = unicode
        except NameError:
            text_type = str
        """,
    "a builtin, the new one first": """
        try:
            chunks = []
        except NameError:
            text_type = unicode
        """,
    "one statement of any error": """
        def f(x):
            try:
                return unicode(x)
            except Exception:
                return x
        """,
    "an attribute, and its use in the else": """
        import time
        try:
            time.clock
        except (AttributeError, KeyError):
            now = time.time
        else:
            now = time.clock
        """,
    "errors that have a name": """
        import time
        MISSING = (AttributeError, ImportError)
        try:
            for i in range(3):
                now = time.clock()
        except MISSING:
            now = 0
        """,
    "both orders of arguments": """
        import tensorflow as tf
        try:
            x = tf.concat([a, b], 0)
        except TypeError:
            x = tf.concat(0, [a, b])
        """,
    "both names of a summary": """
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        try:
            image_summary = tf.image_summary
        except AttributeError:
            image_summary = tf.summary.image
        """,
}


@pytest.mark.parametrize("title", GUARDED)
def test_a_handler_of_its_error_guards_a_name(findings_in, title):
    found = [each.message for each in findings_in(textwrap.dedent(GUARDED[title]))]
    assert [message for message in found if "now means TensorFlow 2" not in message] == []


UNGUARDED = {
    "finally": """
        import time
        try:
            now = time.clock()  #! TFG401
        finally:
            pass
        """,
    "another error": """
        try:
            total = long(3)  #! TFG002
        except ValueError:
            total = 0
        """,
    "the error of another kind of name": """
        import numpy as np
        try:
            x = np.float(3)  #! TFG401
        except ImportError:
            x = 3.
        """,
    "the else branch": """
        import time
        try:
            data = open("a")
        except IOError:
            data = None
        else:
            now = time.clock()  #! TFG401
        """,
    "finally behind a guard": """
        import time
        try:
            now = time.time()
        except AttributeError:
            pass
        finally:
            now = time.clock()  #! TFG401
        """,
    "a handler of other errors": """
        import time
        try:
            train()
        except KeyboardInterrupt:
            now = time.clock()  #! TFG401
        """,
    "the loop of a coordinator": """
        import time
        try:
            while not coord.should_stop():
                started = time.clock()  #! TFG401
                for i in xrange(3):  #! TFG002
                    sess.run(train)
        except tf.errors.OutOfRangeError:
            print('done')
        finally:
            coord.request_stop()
        """,
    "the loop of a coordinator that any error stops": """
        import numpy as np
        try:
            for i in range(3):
                sess.run(train, {x: np.float(3)})  #! TFG401
        except Exception as e:
            coord.request_stop(e)
        """,
    "a method of a dict": """
        try:
            for k, v in d.iteritems():  #! TFG002
                f(k)
        except KeyError:
            pass
        """,
    "a magic": """
        try:
            get_ipython().magic('matplotlib inline')  #! TFG406
        finally:
            pass
        """,
    "a name from before 1.0": """
        try:
            y = tf.mul(x, 2.)  #! TFG109
        finally:
            pass
        """,
}


@pytest.mark.parametrize("title", UNGUARDED)
def test_another_try_guards_nothing(check_announced, title):
    check_announced(UNGUARDED[title])


@NEEDS_PYTHON_3_8
def test_upgrade_keeps_the_import_of_a_use_that_it_keeps():
    start = "import tensorflow.compat.v1 as tf\nimport scipy.misc\ntf.Session()\n"
    guarded = "try:\n    n = scipy.misc.comb(3, 2)\nexcept AttributeError:\n    n = 3\n"
    assert "import scipy.misc\n" in upgraded_text(start + guarded)[0]
    other = guarded.replace("AttributeError", "ValueError")
    assert "n = scipy.special.comb(3, 2)\n" in upgraded_text(start + other)[0]
