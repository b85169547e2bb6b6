"""TFG4: names and calls that left Python, NumPy and other libraries."""

import pytest

from tf1grad.old_programs.rules.installed_packages import Installed

CASES = {
    "other_libraries": """
    import numpy as np
    import collections, time
    np.float, np.float64, np.asscalar(x)  #! TFG401
    time.clock()  #! TFG401
    collections.Mapping, collections.OrderedDict  #! TFG401
    from scipy.misc import imread  #! TFG401
    """,
}


@pytest.mark.parametrize("text", list(CASES.values()), ids=list(CASES))
def test_findings(check_announced, text):
    check_announced(text)


def test_numpy_bool_is_back(findings_in):
    text = "import numpy as np\nx = np.bool, np.int\n"
    for there, expected in ((True, ["numpy.int"]), (None, ["numpy.int"]), (False, ["numpy.bool", "numpy.int"])):
        installed = Installed(ask=False)
        installed.has = lambda name, there=there: there
        assert [finding.message.split()[0] for finding in findings_in(text, installed)] == expected


def test_a_deprecated_name_that_is_still_there_is_not_gone(findings_in):
    for there, expected in ((True, 0), (None, 1), (False, 1)):
        installed = Installed(ask=False)
        installed.has = lambda name, there=there: there
        assert len(findings_in("import numpy as np\nnp.random.random_integers(3)\n", installed)) == expected
