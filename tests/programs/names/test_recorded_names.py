"""The recorded lists have what Python and other libraries dropped,
and nothing that is still there.
"""

import importlib
import sys
import warnings

import pytest

from tf1grad.programs.names import other_libraries, recorded_names
from tf1grad.programs.source import files
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rules import engine

# From the pages "What's New In Python 3.8" to 3.13.
MODULES = (
    "macpath _dummy_thread dummy_threading formatter parser symbol binhex asynchat asyncore distutils imp smtpd aifc "
    "audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd sunau "
    "telnetlib tkinter.tix uu xdrlib"
).split()
NAMES = (
    "time.clock cgi.escape cgi.parse_qs platform.dist platform.linux_distribution sys.set_coroutine_wrapper "
    "tarfile.filemode fractions.gcd base64.encodestring base64.decodestring plistlib.readPlist "
    "sys.getcheckinterval sys.setcheckinterval sys.callstats collections.Mapping collections.Callable "
    "asyncio.coroutine inspect.getargspec inspect.formatargspec gettext.lgettext binascii.b2a_hqx "
    "configparser.SafeConfigParser locale.format pkgutil.ImpImporter ssl.wrap_socket ssl.match_hostname "
    "importlib.find_loader importlib.util.set_package importlib.abc.Finder sqlite3.enable_shared_cache "
    "webbrowser.Grail locale.resetlocale re.template unittest.makeSuite unittest.findTestCases"
).split()


def _findings(text):
    return engine.findings([Program(files.Source("old.py", text))], InstalledNames(ask=False))


@pytest.mark.parametrize("module", MODULES)
def test_check_finds_each_module_that_python_dropped(module):
    found = _findings(f"import {module}\n")
    assert [finding.rule.id for finding in found] == ["TFG401"] and found[0].remedy


@pytest.mark.parametrize("name", NAMES)
def test_check_finds_each_name_that_python_dropped(name):
    found = _findings(f"import {name.rpartition('.')[0]}\n{name}\n")
    assert (2, "TFG401") in [(finding.line, finding.rule.id) for finding in found]


@pytest.mark.parametrize(
    "text",
    [
        "import pandas as pd\npd.value_counts(x)\n",
        "import pandas as pd\npd.read_csv('a', delim_whitespace=True)\n",
        "import pandas as pd\nframe = pd.read_csv('a')\nframe.swapaxes(0, 1)\n",
        "import pandas as pd\nframe = pd.DataFrame()\nframe.fillna(method='ffill')\n",
        "import scipy\nscipy.lcm(1, 2)\n",
        "from skimage.transform import rescale\nrescale(x, 2, multichannel=True)\n",
        "from skimage import measure\nmeasure.compare_ssim(a, b)\n",
        "import unittest\nclass A(unittest.TestCase):\n    def f(self): self.assertEquals(1, 1)\n",
        "import tensorflow.compat.v1 as tf\nclass A(tf.test.TestCase):\n    def f(self): self.assertEquals(1, 1)\n",
        "import xml.etree.ElementTree as ET\nET.Element('a').getchildren()\n",
        "import configparser\nconfigparser.ConfigParser().readfp(f)\n",
    ],
)
def test_check_finds_what_libraries_dropped(text):
    assert {"TFG401", "TFG402"} & {finding.rule.id for finding in _findings(text)}


@pytest.mark.parametrize(
    "text",
    [
        "import pandas as pd\nframe = pd.read_csv('a', sep=' ')\nframe.fillna(0).head()\n",
        "import scipy, numpy as np\nscipy.stats, np.lcm(1, 2), np.float64(3)\n",
        "from skimage.transform import rescale\nrescale(x, 2, channel_axis=-1)\n",
        "class A:\n    def f(self): self.assertEquals(1, 1)\n",
        "import unittest\nclass A(unittest.TestCase):\n    def f(self): self.assertEqual(1, 1)\n",
        "import time, collections, sys, ast\ntime.time(), collections.OrderedDict(), sys.argv, ast.parse('')\n",
    ],
)
def test_names_of_today_are_no_findings(text):
    assert [finding.rule.id for finding in _findings(text)] == []


def test_a_module_of_the_program_may_have_the_name_of_one_that_is_gone(tmp_path):
    (tmp_path / "parser.py").write_text("def read(): pass\n")
    main = tmp_path / "main.py"
    main.write_text("import parser, chunk\nparser.read()\n")
    programs, _ = engine.read_programs([str(main)])
    found = engine.findings(programs, InstalledNames(ask=False))
    assert [finding.message for finding in found] == ["chunk is gone from Python."]


def test_setuptools_provides_distutils():
    class Has(InstalledNames):
        def has(self, name):
            return name.startswith("distutils")

    program = Program(files.Source("old.py", "from distutils.version import LooseVersion\n"))
    assert engine.findings([program], Has(ask=False)) == []
    assert _findings("import distutils\n")[0].requirement == "setuptools"


def test_this_python_lacks_what_the_list_says():
    there = []
    for name, since in recorded_names.all_names():
        title, _, version = since.rpartition(" ")
        if title == "Python" and tuple(map(int, version.split("."))) <= sys.version_info[:2]:
            if name.partition(".")[0] != "distutils" and _exists(name):
                there.append(name)
    assert there == []


def _exists(name):
    parts = name.split(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for length in range(len(parts), 0, -1):
            try:
                found = importlib.import_module(".".join(parts[:length]))
            except ImportError:
                continue
            for part in parts[length:]:
                if not hasattr(found, part):
                    return False
                found = getattr(found, part)
            return True
    return False


def test_numpy_has_what_scipy_had_from_it():
    numpy = importlib.import_module("numpy")
    if tuple(map(int, numpy.__version__.split(".")[:2])) < (2, 4):
        pytest.skip("the list is that of the newest NumPy")
    names = [name for name, _ in recorded_names.all_names() if name.startswith("scipy.")]
    new = {
        row.new.partition(".")[2] for row in map(recorded_names.row_of, names) if row and row.new
    }
    assert "lcm" in new and [name for name in sorted(new) if not hasattr(numpy, name)] == []


def test_a_row_comes_before_the_lists():
    assert other_libraries.row_of("time.clock").new is not None


def test_what_has_lost_an_attribute_is_told_from_other_names():
    classes = recorded_names.classes()
    assert {"pandas.DataFrame", "pandas.Series", "threading.Thread"} <= classes
    assert not {"pandas.DataFrame.ix", "numpy.zeros"} & classes
