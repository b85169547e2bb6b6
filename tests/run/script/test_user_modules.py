"""Tests what importing the user's modules and those of packages says, in this process."""

import importlib.machinery
import importlib.util
import warnings

import pytest

from tf1grad.programs.process import patches
from tf1grad.run import python2
from tf1grad.run.script import user_modules


@pytest.fixture
def load(tmp_path):
    """Returns a function that imports a file with this text,
    and returns the module with what Python says of its code.
    """
    before = len(patches.changes())

    def loaded(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        loader = importlib.machinery.SourceFileLoader("toy", str(path))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("toy", loader))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            user_modules.install(
                python2.Compiler(user_modules.compile_plainly, 3), lambda path: None
            )
            try:
                loader.exec_module(module)
            finally:
                patches.undo(before)
        return module, [each.category for each in said]

    return loaded


ALWAYS_TRUE = "assert (__name__, 'text')\n"  # a SyntaxWarning on every version of Python


def test_remarks_on_the_code_of_packages_are_hidden_and_other_warnings_shown(load):
    assert load("own.py", ALWAYS_TRUE)[1] == [SyntaxWarning]
    text = ALWAYS_TRUE + "import warnings\nwarnings.warn('old', UserWarning)\n"
    assert load("env/site-packages/library.py", text)[1] == [UserWarning]
