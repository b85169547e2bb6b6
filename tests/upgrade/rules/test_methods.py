"""`check` finds methods that other libraries dropped where the text shows
the class of the object.
"""

import pytest

from tf1grad.programs.source import files
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rules import engine


def _errors(text):
    found = engine.findings([Program(files.Source("old.py", text))], InstalledNames(ask=False))
    return [
        (finding.rule.id, finding.message) for finding in found if finding.rule.severity == "error"
    ]


PANDAS = "import pandas as pd\nframe = pd.read_csv('a')\n"


@pytest.mark.parametrize(
    "text",
    [
        PANDAS + "for name, column in frame.iteritems(): pass\n",
        PANDAS + "frame['a'].iteritems()\n",
        PANDAS + "frame = frame.append(frame)\nframe.dropna().append(frame)\n",
        "import pandas as pd\nclass A:\n    def f(self):\n        self.x = pd.DataFrame()\n        self.x.append(1)\n",
        "import pandas as pd\ndef f():\n    rows = pd.DataFrame()\n    for i in g():\n        rows = rows.append(i)\n",
        "import numpy as np\nx = np.zeros(3)\nx.astype(int).ptp()\n",
        "from PIL import Image, ImageDraw\ndraw = ImageDraw.Draw(Image.open('a'))\ndraw.textsize('a')\n",
    ],
)
def test_a_method_is_found_where_the_text_shows_the_class(text):
    assert {rule for rule, _ in _errors(text)} == {"TFG402"}


@pytest.mark.parametrize(
    "text",
    [
        "x = []\nx.append(1)\nx.sort()\n",
        "def f(x):\n    x.append(1)\n    x.sort()\n    x.ptp()\n    x.order()\n",
        PANDAS + "frame = []\nframe.append(1)\n",
        "import pandas as pd\nfor f in g():\n    x = pd.DataFrame()\n"
        "    x = h(x)\n    x.append(1)\n",
        PANDAS + "frame.values.tolist().append(1)\nframe['a'].tolist().append(1)\n",
        "import svgwrite\ndwg = svgwrite.Drawing()\nprint(dwg.tostring())\n",
        PANDAS + "names = list(frame)\nnames.append('a')\nframe.columns.append(frame.index)\n",
    ],
)
def test_a_method_of_another_class_is_not_found(text):
    assert _errors(text) == []


def test_iteritems_of_a_dict_is_python_2():
    text = "def f(d):\n    for k, v in d.iteritems():\n        print(k)\ne = {}\ne.iteritems()\n"
    assert {rule for rule, _ in _errors(text)} == {"TFG002"}


def test_iteritems_of_a_frame_does_not_make_a_program_python_2():
    text = PANDAS + "for name, column in frame.iteritems(): print(name)\n"
    assert "TFG002" not in {rule for rule, _ in _errors(text)}
