"""Tests that each fix gives what old libraries gave,
and is used exactly where the installed ones do not.
"""

import builtins
import importlib.util
import inspect
import json
import os
import sys
import textwrap
import types
import warnings

import numpy as np
import pytest

from dropped_name_cases import CASES
from script_folder import run_python
from tf1grad.programs.process import messages
from tf1grad.run import dropped_names
from tf1grad.run.dropped_names import imp_module, numpy_calls, rewritten_expressions

# Runs all cases, with the fixes or without, in a process of their own.
PROGRAM = """
import json, os, sys, traceback, warnings
warnings.simplefilter("ignore")
cases, with_names = json.loads(sys.stdin.read())
os.environ.pop("MPLBACKEND", None)
if with_names:
    from tf1grad.run import dropped_names
    dropped_names.install()
    from tf1grad.programs.process.messages import said as used
    compiled = dropped_names.compile_module
else:
    os.environ["MPLBACKEND"] = "agg"
    compiled, used = (lambda code, name: compile(code, name, "exec")), set()

def attempt(name, case):
    fix, needs, code, expected = case
    prefix = "import numpy as np; " * ("numpy" in needs or "scipy" in needs)
    prefix += "import matplotlib.pyplot as plt; " * ("matplotlib" in needs)
    try:
        names = {"__name__": "__main__"}
        exec(compiled(prefix + code, "case %s" % name), names)
        outcome = {"result": names["result"]}
    except Exception:
        outcome = {"error": traceback.format_exc()}
    return dict(outcome, used=sorted(used))

results = {}
for name, case in sorted(cases.items()):
    used.clear()
    results[name] = attempt(name, case)
print(json.dumps(results, default=str))
"""


def _run(cases, with_names):
    code, output, errors = run_python("-c", PROGRAM, stdin=json.dumps([cases, with_names]))
    assert code == 0, errors[-3000:]
    return dict(json.loads(output.splitlines()[-1]), stderr=errors)


def _is_installed(module):
    return importlib.util.find_spec(module) is not None


@pytest.fixture
def helper(monkeypatch):
    """Puts the fixes for compiled code, and nothing else, in place in this process."""
    monkeypatch.setattr(builtins, rewritten_expressions.HELPER, numpy_calls, raising=False)


@pytest.fixture(scope="module")
def outcomes():
    """Returns the results of every case, without and with the fixes."""
    cases = {name: case for name, case in CASES.items() if all(map(_is_installed, case[1].split()))}
    return _run(cases, False), _run(cases, True)


@pytest.mark.parametrize("name", sorted(CASES))
def test_fix_gives_the_old_result(name, outcomes):
    fix, needs, _, expected = CASES[name]
    if not all(map(_is_installed, needs.split())):
        pytest.skip(f"needs {needs}")
    plain, fixed = (outcome[name] for outcome in outcomes)
    assert "error" not in fixed, fixed["error"]
    assert fixed["result"] == expected
    # Matplotlib 3.3 to 3.5 took a list for its text.
    is_as_before = "error" not in plain and plain["result"] == expected
    if is_as_before and fix != "matplotlib preamble":
        assert fixed["used"] == []
    elif fix:  # a module that stands in stays: another case may have brought it
        assert fix in set().union(
            *(outcomes[1][other]["used"] for other in CASES if other in outcomes[1])
        )


def test_install_imports_nothing(run_program):
    output = run_program("""
        import sys
        from tf1grad.run import dropped_names
        dropped_names.install()
        dropped_names.install()
        print(sorted({"numpy", "scipy", "matplotlib", "tensorflow", "PIL"} & set(sys.modules)))
        print([type(finder).__name__ for finder in sys.meta_path].count("Finder"))
    """)
    assert output.split("\n")[:2] == ["[]", "1"]


# In what follows the process is one where `install` was called, and its stdout is what the script
# prints.
def _script(code, *folders, matplotlib=None):
    launcher = f"""
import os, sys
sys.path[:0] = {list(folders)!r}
for name in ("MPLBACKEND", "DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(name, None)
from tf1grad.run import dropped_names
dropped_names.install(matplotlib={matplotlib!r})
exec(dropped_names.compile_module(sys.stdin.read(), "script.py"), {{"__name__": "__main__"}})
"""
    return run_python("-W", "ignore", "-c", launcher, stdin=textwrap.dedent(code))[1:]


def test_fix_is_reported_once_with_its_line():
    output, errors = _script("""
        import numpy as np
        for _ in range(3):
            print(np.asscalar(np.ones(1)))
    """)
    assert output == "1.0\n" * 3
    lines = [line for line in errors.splitlines() if line.startswith("tf1grad: ")]
    line = "tf1grad: numpy.asscalar (script.py:4): is numpy.asarray(...).item()"
    expected = [] if hasattr(np, "asscalar") else [line]
    assert lines == expected


def test_libraries_see_what_is_installed(tmp_path):
    (tmp_path / "library.py").write_text(
        "import inspect, numpy\nfound = [hasattr(numpy, 'infty'), hasattr(inspect, 'ArgSpec')]\n"
    )
    output, errors = _script(
        """
        import inspect
        import numpy as np
        print(np.infty, inspect.ArgSpec.__name__)
        import library
        print(library.found)
    """,
        str(tmp_path),
    )
    assert output.splitlines() == [
        "inf ArgSpec",
        str([hasattr(np, "infty"), hasattr(inspect, "ArgSpec")]),
    ], errors


def test_traceback_is_the_scripts_own():
    output, errors = _script("""
        import math
        print("before")

        x = "one"
        print("%d" % x)
    """)
    assert output == "before\n"
    frames = [line for line in errors.splitlines() if line.startswith("  File ")]
    assert frames[-1] == '  File "script.py", line 6, in <module>'
    assert errors.rstrip().endswith("not str")


def test_syntax_error_and_coding_are_pythons_own(helper):
    with pytest.raises(SyntaxError) as error:
        dropped_names.compile_module(b"x = 1\nx = = 2\n", "broken.py")
    assert (error.value.filename, error.value.lineno) == ("broken.py", 2)
    names = {}
    exec(
        dropped_names.compile_module(
            "# coding: latin1\nx = '\xe4 %d' % (1)\n".encode("latin1"), "latin.py"
        ),
        dict(names),
        names,
    )
    assert names["x"] == "\xe4 1"


def test_future_statements_and_docstrings_stay(helper):
    names = {}
    code = '"""Says."""\nfrom __future__ import annotations\ndef f(x: not_there):\n    return "%s" % (x,)\n'
    exec(dropped_names.compile_module(code, "future.py"), names)
    assert (names["__doc__"], names["f"](1)) == ("Says.", "1")


def test_names_from_star_imports_mean_what_they_are(helper, monkeypatch):
    common = types.ModuleType("common")
    common.their_np, common.array = np, len
    monkeypatch.setitem(sys.modules, "common", common)
    names = {}
    code = "from common import *\nrows = [[1], [1, 2]]\nfound = [their_np.array(rows).shape, array(rows)]"
    exec(rewritten_expressions.compile_module(code, "<code>"), names)
    assert names["found"] == [(2,), 2]


@pytest.mark.parametrize(
    "code",
    [
        "a[i] = v",
        "x = float(v)",
        "x = form % i",
        "while a: a = a.next",
    ],
)
def test_numbers_assignments_and_tests_are_plain_python(code):
    code = "import math\nimport numpy as np\ndef f(a, i, v, form):\n    " + code
    compiled, plain = (
        dropped_names.compile_module(code, "plain.py"),
        compile(code, "plain.py", "exec"),
    )
    assert compiled == plain and compiled != dropped_names.compile_module(
        code + "; np.load(x)", "plain.py"
    )


@pytest.mark.parametrize(
    "start, decorator",
    [
        ("from numba import njit as fast", "fast"),
        ("import numba as nb", "nb.vectorize(['f4(f4)'])"),
    ],
)
def test_functions_that_numba_compiles_ask_numpy_itself(start, decorator):
    code = f"import numpy as np\n{start}\n@{{}}\ndef f(x):\n    return np.array([x])\n"

    def names(decorator):
        return next(
            each.co_names
            for each in dropped_names.compile_module(code.format(decorator), "fast.py").co_consts
            if hasattr(each, "co_names")
        )

    assert names(decorator) == ("np", "array")
    assert names("lru_cache") == ("__tf1grad_dropped_names__", "function", "np", "array")


@pytest.mark.parametrize("name", ["file.npy", "file.npz"])
def test_a_file_with_pickles_is_loaded_with_a_warning_about_its_code(
    helper, tmp_path, monkeypatch, capsys, name
):
    """NumPy refuses it without `allow_pickle`."""
    monkeypatch.setattr(messages, "said", set())
    path = str(tmp_path / name)
    write = {"file.npy": np.save, "file.npz": np.savez}[name]
    for value, is_said in ((np.ones(2), False), (np.array([{"a": 1}, None]), True)):
        write(path, value)
        loaded = numpy_calls.function(np.load)(path)
        loaded = loaded if name == "file.npy" else loaded["arr_0"]
        assert loaded.tolist() == value.tolist()
        said = capsys.readouterr().err
        assert ("any code, so it must come from someone you trust" in said) == is_said


@pytest.mark.parametrize(
    "call, error",
    [
        ("np.aray([1])", "has no attribute 'aray'"),
        (
            "np.save('file.npy', {}) or np.load('file.npy', allow_pickle=False)",
            "allow_pickle=False",
        ),
    ],
)
def test_errors_of_numpy_stay(tmp_path, call, error):
    _, errors = _script(
        f"import numpy as np\n{call}\n".replace("file.npy", str(tmp_path / "file.npy"))
    )
    assert error in errors.splitlines()[-1]
    assert "tf1grad:" not in errors


@pytest.mark.skipif(not _is_installed("matplotlib"), reason="needs matplotlib")
@pytest.mark.parametrize(
    "chosen, selected, expected",
    [
        (None, "TkAgg", "agg"),
        pytest.param(None, "pdf", "pdf", marks=pytest.mark.slow),
        ("svg", "pdf", "svg"),
    ],
)
def test_unusable_backend_is_replaced(chosen, selected, expected):
    output, errors = _script(
        f"""
        import matplotlib
        matplotlib.use({selected!r})
        import matplotlib.pyplot as plt
        plt.figure()
        print(matplotlib.get_backend().lower())
    """,
        matplotlib=chosen,
    )
    assert output.strip() == expected, errors
    assert ("matplotlib backend" in errors) == (selected != expected)


@pytest.mark.skipif(not _is_installed("matplotlib"), reason="needs matplotlib")
def test_a_backend_that_matplotlib_lacks_ends_the_run_with_the_known_ones():
    output, errors = _script("import matplotlib\nprint('went on')\n", matplotlib="nosuch")
    assert output == "" and "Traceback" not in errors
    assert errors.startswith("tf1grad run: --matplotlib: ") and "'nosuch'" in errors
    assert "agg" in errors.lower()


def test_renamed_package_at_its_old_name(tmp_path):
    if _is_installed("pyDOE"):
        pytest.skip("pyDOE is installed under its old name")
    (tmp_path / "pydoe.py").write_text("def lhs(n, samples):\n    return [[0.5] * n] * samples\n")
    output, errors = _script(
        """
        from pyDOE import lhs
        print(lhs(2, 1))
    """,
        str(tmp_path),
    )
    assert output == "[[0.5, 0.5]]\n", errors
    assert errors == "", "a name that only moved is not worth a line"


def test_imp_loads_a_source_file(tmp_path):
    path = tmp_path / "settings.py"
    path.write_text("rate = 0.5\n")
    assert imp_module.load_source("era_settings", str(path)).rate == 0.5
    assert sys.modules.pop("era_settings").rate == 0.5
    path.write_text("raise KeyError('rate')\n")
    with pytest.raises(KeyError):
        imp_module.load_source("era_settings", str(path))
    assert "era_settings" not in sys.modules
    assert "era_new" not in sys.modules and imp_module.new_module("era_new").__name__ == "era_new"


def test_decimal_numbers_are_rounded_as_before_pandas_1_2():
    """The expected values were read with pandas 0.25.3."""
    pandas = pytest.importorskip("pandas")
    if int(pandas.__version__.split(".")[0]) > 2:
        pytest.skip("from pandas 3 on, there is one parser")
    _, output, errors = run_python(
        "-c",
        "from tf1grad.run import dropped_names\n"
        "dropped_names.install()\n"
        "import io, pandas\n"
        "frame = pandas.read_csv(io.StringIO('x\\n2240.893199\\n-15.135721'))\n"
        "print(*[number.hex() for number in frame['x']])",
    )
    assert output.split() == ["0x1.181c951611ba3p+11", "-0x1.e457d3910c2c5p+3"], errors


# What NumPy 1.18 gave: a type of Python stands for its kind, one of NumPy for itself.
SUBTYPES = {
    "np.float32, float": True,
    "np.dtype('float16'), 'float64'": True,
    "np.int32, float": False,
    "np.float32, np.float64": False,
    "np.float32, np.dtype('float64')": False,
    "np.float32, np.floating": True,
}


def test_a_type_of_python_stands_for_its_kind():
    lines = "".join(f"print(np.issubdtype({arguments}))\n" for arguments in SUBTYPES)
    output, errors = _script("import numpy as np\n" + lines)
    assert output.split() == list(map(str, SUBTYPES.values())), errors


def test_imp_finds_and_loads_modules(tmp_path, monkeypatch):
    """Beside Python's own `imp`, where there is one."""
    (tmp_path / "imp_package").mkdir()
    (tmp_path / "imp_package" / "__init__.py").write_text("from imp_package.inner import value")
    (tmp_path / "imp_package" / "inner.py").write_text("value = 3")
    (tmp_path / "imp_plain.py").write_text("value = 4")
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = str(tmp_path / "imp_package")
    expected = {
        "imp_package": (folder, ("", "", imp_module.PKG_DIRECTORY)),
        "imp_plain": (str(tmp_path / "imp_plain.py"), (".py", "r", imp_module.PY_SOURCE)),
        "sys": (None, ("", "", imp_module.C_BUILTIN)),
    }
    modules = [imp_module]
    if sys.version_info < (3, 12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            modules.append(importlib.import_module("imp"))
    for imp in modules:
        for name, found in expected.items():
            file, *rest = imp.find_module(name)
            assert tuple(rest) == found and (file is not None) == (name == "imp_plain")
            module = imp.load_module(name, file, *rest)
            assert sys.modules[name] is module
            assert getattr(module, "value", None) == {"imp_package": 3, "imp_plain": 4}.get(name)
            if file:
                file.close()
        assert imp.find_module("inner", [folder])[1] == os.path.join(folder, "inner.py")
        with pytest.raises(ImportError, match="No module named 'nowhere'"):
            imp.find_module("nowhere")
