"""Checks the house rules in the source text, and that `import tf1grad` changes nothing."""

import ast
import collections
import functools
import inspect
import os
import re
import sys
import traceback
from typing import NamedTuple

import pytest

import tf1grad
from tf1grad import _public

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = os.path.join(ROOT, "tf1grad")
TESTS = os.path.join(ROOT, "tests")


def _sources(folder):
    return sorted(
        os.path.relpath(os.path.join(path, name), ROOT)
        for path, _, names in os.walk(folder)
        for name in names
        if name.endswith(".py")
    )


@functools.lru_cache(maxsize=None)
def _text(source):
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def _tree(source):
    return ast.parse(_text(source))


@functools.lru_cache(maxsize=None)
def _walk(source):
    return list(ast.walk(_tree(source)))


@pytest.fixture(scope="module", autouse=True)
def forget_trees():
    """Frees the memory of a million nodes for the tests of other files."""
    yield
    for cached in (_walk, _tree, _attributes, _text):
        cached.cache_clear()


def _nodes(source, *kinds):
    return [node for node in _walk(source) if isinstance(node, kinds)]


def _offences(sources, find):
    """Returns what a function finds in each source, where it finds something."""
    found = {source: find(source) for source in sources}
    return {source: offences for source, offences in found.items() if offences}


def _named(pattern):
    """Returns a function that lists the attributes in a source that match a regular expression."""
    return lambda source: [name for name in _attributes(source) if re.match(pattern, name)]


def _imports(source, left_out=()):
    """The dotted names that a source imports, wherever in it but in the nodes with these ids."""
    names = []
    for node in _nodes(source, ast.Import, ast.ImportFrom):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif not node.level:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@functools.lru_cache(maxsize=None)
def _attributes(source):
    """The dotted names that a source reads, such as `tf.layers.dense`,
    as long as they are plain.
    """
    return [ast_name for ast_name in map(_dotted, _nodes(source, ast.Attribute)) if ast_name]


def _dotted(node):
    if isinstance(node, ast.Name):
        return node.id
    base = _dotted(node.value) if isinstance(node, ast.Attribute) else None
    return base and f"{base}.{node.attr}"


COMPAT = os.path.join("tf1grad", "_compat.py")
PROGRAMS_COMPAT = os.path.join("tf1grad", "programs", "_compat.py")  # the same for old programs
OP_LAYER_COMPAT = os.path.join("tf1grad", "run", "op_layer", "installed", "")
IMPORT_LINE = os.path.join("tf1grad", "v1.py")  # type checkers see the names of TensorFlow in it
LIBRARY_SOURCES = _sources(LIBRARY)
OTHER_SOURCES = [
    source
    for source in LIBRARY_SOURCES
    if source not in (COMPAT, PROGRAMS_COMPAT) and not source.startswith(OP_LAYER_COMPAT)
]
TEST_SOURCES = _sources(TESTS)
# Programs for `tf1grad run`, which serves what is gone from TensorFlow.
RUN_AS_SCRIPTS = [
    source
    for source in _sources(os.path.join(TESTS, "helpers", "programs"))
    if source.endswith(("_cases.py", "checkpoints.py", "estimator_programs.py", "whole_graphs.py"))
]
GENERATORS = _sources(os.path.join(ROOT, "docs", "generate"))


def test_only_compat_imports_tensorflow():
    assert (
        _offences(
            [source for source in OTHER_SOURCES if source != IMPORT_LINE],
            lambda source: [
                name
                for name in _imports(source)
                if name.split(".")[0] in ("tensorflow", "tf_keras", "keras")
            ],
        )
        == {}
    )
    assert _offences(OTHER_SOURCES, _named(r"(tf|tensorflow)\.python\b")) == {}


def test_only_compat_asks_what_tensorflow_can_do():
    version = r"(tf\.(version\.)?VERSION|tf\.__version__|_compat\.VERSION)$"
    assert _offences(OTHER_SOURCES, _named(version)) == {}
    assert (
        _offences(
            OTHER_SOURCES,
            lambda source: [name.id for name in _nodes(source, ast.Name) if name.id == "VERSION"],
        )
        == {}
    )
    assert (
        _offences(
            OTHER_SOURCES,
            lambda source: [
                call.lineno
                for call in _nodes(source, ast.Call)
                if _dotted(call.func) == "hasattr"
                and re.match(r"(tf|tensorflow)\b", _dotted(call.args[0]) or "")
            ],
        )
        == {}
    )


SYSTEMS = os.path.join("tf1grad", "programs", "_systems.py")
# Python's modules and names that Windows, or every other system, lacks.
MODULES_OF_ONE_SYSTEM = set("fcntl grp msvcrt pty pwd resource termios tty winreg".split())
NAMES_OF_ONE_SYSTEM = (
    r"(sys\.platform|platform\.system|os\.(name|uname|fork\w*|kill|killpg|setsid|setpgrp|setpgid|get\w*[ug]id|chown|"
    r"lchown|mkfifo|nice|wait|waitpid|exec\w+|spawn\w+|register_at_fork|sched_\w+|startfile|O_BINARY|WNOHANG)|"
    r"signal\.(SIGKILL|SIGPIPE|SIGHUP|SIGALRM|SIGUSR1|SIGUSR2|alarm|setitimer|pause|CTRL_\w+))$"
)


def test_only_one_module_asks_which_system_this_is():
    others = [source for source in LIBRARY_SOURCES if source != SYSTEMS]
    assert _named(NAMES_OF_ONE_SYSTEM)(SYSTEMS)
    assert _offences(others, _named(NAMES_OF_ONE_SYSTEM)) == {}
    assert MODULES_OF_ONE_SYSTEM.intersection(_imports(SYSTEMS))
    assert _offences(others, lambda each: MODULES_OF_ONE_SYSTEM.intersection(_imports(each))) == {}


def _opens_text_without_encoding(call):
    """Says whether a call of `open` leaves the encoding to the system."""
    given = {keyword.arg for keyword in call.keywords}  # None for **options
    if _dotted(call.func) not in ("open", "os.fdopen", "io.open") or given & {"encoding", None}:
        return False
    return not any(re.search(r"'[\w+]*b[\w+]*'", ast.dump(mode)) for mode in call.args[1:2])


def test_text_files_are_opened_with_an_encoding():
    assert _opens_text_without_encoding(ast.parse("open(path, 'w')").body[0].value)
    assert (
        _offences(
            LIBRARY_SOURCES,
            lambda source: [
                call.lineno
                for call in _nodes(source, ast.Call)
                if _opens_text_without_encoding(call)
            ],
        )
        == {}
    )


class Room(NamedTuple):
    """A folder of the package, and the code that belongs there."""

    path: str
    purpose: str


# All rooms from the lowest to the highest: no room imports from one that stands below it in this
# table. The map in CONTRIBUTING.md is made of it and of the imports: `python tests/test_source.py`
# writes it after a change.
ROOMS = [
    Room("recipes/sessions", "state that lives as long as a session; prepared and fast runs"),
    Room(
        "recipes/gradients",
        "lists of (gradient, variable) pairs: selecting, clipping, guarding, applying",
    ),
    Room(
        "recipes/accumulation", "gradient accumulation over micro-batches: reset, accumulate, apply"
    ),
    Room(
        "recipes/freezing",
        "the variables that train: `var_list`, gates, alternating players, the report",
    ),
    Room("recipes/batches", "one batch for many evaluations: session-handle caches"),
    Room("recipes/optimizers", "optimizers that wrap an optimizer"),
    Room("recipes/external", "optimizers outside TensorFlow: SciPy and the line search"),
    Room("recipes/hooks", "hooks for `MonitoredSession`"),
    Room("programs/names", "the replacement of each old name, as data: one row per fact"),
    Room("programs/process", "whose code runs, the one import finder, the register of patches"),
    Room(
        "programs/period",
        "what surrounded TensorFlow 1.15: fetched, checked, put in front of a process",
    ),
    Room("programs/source", "a program as text: files, notebooks, scopes, names"),
    Room("upgrade/edits", "the edits of a file: planned, and written into its text"),
    Room("upgrade/rules", "the findings of `check`: the rules by family, their engine"),
    Room("upgrade/rewriting", "`upgrade`: applies the edits to programs, and writes their files"),
    Room(
        "run/packages",
        "the packages that a program declares, as of its date: resolved, read, put in front",
    ),
    Room(
        "run/dropped_names",
        "names and calls that NumPy, SciPy, Matplotlib and others dropped, served again",
    ),
    Room("run/seeds", "op seeds as TensorFlow 1.15 gives them"),
    Room(
        "run/gone_ops",
        "ops without a kernel: a row and a function for each that is provided, else advice",
    ),
    Room("run/originals", "TensorFlow 1.15's own Python files: loading, where their names are now"),
    Room(
        "run/op_layer", "1.15's own ops, layers, Keras and `tf.data` over the installed TensorFlow"
    ),
    Room("run/python2", "modules written for Python 2: translated, executed"),
    Room("run/view", "TensorFlow as 1.15 had it: the names of `tf`, Keras, old libraries, kernels"),
    Room("run/script", "the program: scripts, notebooks, test suites; its modules and its errors"),
    Room("run/start", "the phases of start-up, the import of TensorFlow, child processes"),
    Room("model", "`model`: reads and converts model files of TensorFlow 1"),
    Room("migrate", "the names that upgraded programs import"),
    Room("verify", "`verify`: records two interpreters and compares them step by step"),
    Room("cli", "arguments, help and exit codes: one file per command"),
]
FOLDERS = ("recipes", "programs", "upgrade", "run")  # of rooms


def room_of(source):
    """Returns the room of a source or dotted name below `tf1grad`,
    "" for a module of the package itself.
    """
    parts = re.sub(r"\.py$", "", source).replace(os.sep, ".").replace("/", ".").split(".")[1:]
    depth = 2 if parts[:1] and parts[0] in FOLDERS else 1
    is_room = len(parts) >= depth and os.path.isdir(os.path.join(LIBRARY, *parts[:depth]))
    return "/".join(parts[:depth]) if is_room else ""


def _rooms_known(room):
    """Returns the other rooms that the sources of a room import from,
    in functions and for type checkers too.
    """
    sources = [source for source in LIBRARY_SOURCES if room_of(source) == room]
    known = {
        room_of(name)
        for source in sources
        for name in _imports(source)
        if name.startswith("tf1grad.")
    }
    return sorted(known - {room, ""})


def test_every_folder_is_a_room_of_the_table():
    found = {room_of(source) for source in LIBRARY_SOURCES} - {""}
    assert sorted(found) == sorted(room.path for room in ROOMS)


def test_rooms_import_downwards_only():
    order = [room.path for room in ROOMS]
    assert [
        (room, known)
        for index, room in enumerate(order)
        for known in _rooms_known(room)
        if known not in order[:index]
    ] == []


# What upgraded programs import is text of theirs, which rows and rules may have.
WRITTEN_INTO_PROGRAMS = r"tf1grad\.(migrate|v1)\b"
OWN_NAME = re.compile(r"tf1grad(?:\.\w+)+")
OWN_PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/\w+/\w+\.py")


def _named_in_strings(source):
    """Returns the modules of the package that the strings of a source name,
    without its docstrings.
    """
    docstrings = {
        id(node.body[0].value)
        for node in _nodes(source, ast.Module, ast.ClassDef, ast.FunctionDef)
        if node.body and isinstance(node.body[0], ast.Expr)
    }
    strings = [
        node.value
        for node in _nodes(source, ast.Constant)
        if isinstance(node.value, str) and id(node) not in docstrings
    ]
    paths = ["tf1grad/" + path for text in strings for path in OWN_PATH.findall(text)]
    return paths + [
        name
        for text in strings
        for name in OWN_NAME.findall(text)
        if not re.match(WRITTEN_INTO_PROGRAMS, name)
    ]


@pytest.mark.skipif(sys.version_info < (3, 8), reason="no ast.Constant before Python 3.8")
def test_rooms_name_downwards_only_in_strings_too():
    order = [room.path for room in ROOMS]
    found = [
        (source, name)
        for source in LIBRARY_SOURCES
        if room_of(source)
        for name in _named_in_strings(source)
        if room_of(name) and order.index(room_of(name)) > order.index(room_of(source))
    ]
    assert found == []
    registry = os.path.join("tf1grad", "verify", "external_evaluations.py")
    assert "tf1grad.recipes.external.interface" in _named_in_strings(registry)


def test_run_and_upgrade_do_not_know_each_other():
    rooms = [room.path for room in ROOMS]
    known = {
        room: [other for other in _rooms_known(room) if other.startswith(("run/", "upgrade/"))]
        for room in rooms
        if room.startswith(("run/", "upgrade/"))
    }
    assert {
        (room, other)
        for room, others in known.items()
        for other in others
        if room.partition("/")[0] != other.partition("/")[0]
    } == set()


def _module_imports(source):
    """Returns the modules of the package that a source imports outside functions,
    for type checkers too.
    """
    inside = {
        id(node) for function in _nodes(source, ast.FunctionDef) for node in ast.walk(function)
    }
    found = {
        MODULES.get(name, MODULES.get(name.rpartition(".")[0])) for name in _imports(source, inside)
    }
    return found - {None, source}


MODULES = {
    re.sub(r"\.__init__$", "", source[: -len(".py")].replace(os.sep, ".")): source
    for source in LIBRARY_SOURCES
}


def test_no_modules_import_each_other_in_a_circle():
    left = {source: _module_imports(source) for source in LIBRARY_SOURCES}
    while True:
        free = [source for source, needs in left.items() if not needs & set(left)]
        if not free:
            break
        for source in free:
            del left[source]
    assert sorted(left) == []


def test_a_class_has_a_name_of_its_own():
    places = collections.defaultdict(list)
    for source in LIBRARY_SOURCES:
        for node in _tree(source).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(source)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_test_file_has_a_name_of_its_own():
    """pytest imports test files by their names alone."""
    names = collections.Counter(map(os.path.basename, TEST_SOURCES))
    assert {name for name, count in names.items() if count > 1} <= {"conftest.py"}


def room_map():
    """Returns the list of rooms as Markdown, from the highest room to the lowest."""
    return "\n".join(f"- `{room.path}/`: {room.purpose}" for room in reversed(ROOMS))


MAP = re.compile(
    r"(?<=<!-- rooms: python tests/test_source.py -->\n\n).*?(?=\n\n<!-- end of rooms -->)",
    re.DOTALL,
)


def test_the_map_for_contributors_is_the_table():
    assert MAP.search(_text("CONTRIBUTING.md")).group() == room_map()


def test_nothing_is_used_that_is_gone_from_tensorflow():
    gone = r"tf\.(contrib|layers|keras|estimator)\b"
    assert (
        _offences(
            [COMPAT, *OTHER_SOURCES, *(set(TEST_SOURCES) - set(RUN_AS_SCRIPTS))], _named(gone)
        )
        == {}
    )


def test_module_says_what_it_is():
    trees = {source: _tree(source) for source in LIBRARY_SOURCES + TEST_SOURCES + GENERATORS}
    assert [
        source for source, tree in trees.items() if tree.body and not ast.get_docstring(tree)
    ] == []


# The session calls these, no user; `tf.train.SessionRunHook` says what they are.


@pytest.mark.parametrize("name", tf1grad.__all__)
def test_public_name_is_documented(name):
    assert inspect.getdoc(getattr(tf1grad, name))


def test_public_names_are_complete():
    names = [name for name in vars(_public) if not name.startswith("_")]
    functions = [name for name in names if callable(getattr(_public, name))]
    assert sorted(functions) == sorted(tf1grad.__all__)
    # There are no rooms.
    assert [name for name in dir(tf1grad) if not name.startswith("__")] == sorted(tf1grad.__all__)


def test_no_module_hides_a_public_name():
    modules = {os.path.basename(source)[: -len(".py")] for source in _sources(LIBRARY)}
    assert modules.isdisjoint(tf1grad.__all__)


def test_every_name_is_shown_to_the_checker_of_types():
    used = _attributes(os.path.join("tests", "typing", "mistakes.py"))
    assert {f"tf1grad.{name}" for name in tf1grad.__all__} <= set(used)


@pytest.mark.slow
@pytest.mark.each_release
def test_import_changes_nothing(run_program):
    output = run_program(IMPORT_PROGRAM)
    assert output.splitlines() == [
        "attributes same",
        "flags same",
        "optimizer same",
        "graph same",
        "enough seen",
    ]


IMPORT_PROGRAM = """
    import types
    import tensorflow as tf
    v1 = tf.compat.v1
    NAMES = ("train", "nn", "math", "test", "losses", "summary", "random")
    for name in NAMES + ("Graph", "Session", "get_variable"):  # TensorFlow's modules load when they are first asked
        getattr(v1, name)

    def snapshot():
        modules = [tf, v1] + [getattr(v1, name) for name in NAMES]
        attributes = {(index, key): id(value) for index, module in enumerate(modules)
                      for key, value in vars(module).items()
                      if not key.startswith("__") and not isinstance(value, types.ModuleType)}
        flags = [tf.executing_eagerly(), v1.resource_variables_enabled(), v1.control_flow_v2_enabled(),
                 v1.get_variable_scope().use_resource, v1.logging.get_verbosity()]
        optimizer = {key: id(value) for key, value in vars(v1.train.Optimizer).items() if not key.startswith("__")}
        return attributes, flags, optimizer, v1.get_default_graph().get_operations()

    before = snapshot()
    import tf1grad
    tf1grad.GradientAccumulator
    after = snapshot()
    for name, old, new in zip(("attributes", "flags", "optimizer", "graph"), before, after):
        changed = [key for key in old if new.get(key) != old[key]] if isinstance(old, dict) else old != new
        print(name, "changed: %s" % (changed,) if changed else "same")
    print("enough seen" if len(before[0]) > 200 else len(before[0]))
"""


@pytest.mark.slow
@pytest.mark.each_release
def test_import_waits_for_tensorflow_and_loads_no_scipy(run_program):
    # TensorFlow itself may load SciPy where it is installed: only what tf1grad adds counts.
    output = run_program("""
        import sys
        import tf1grad
        print("tensorflow" in sys.modules)
        import tensorflow.compat.v1
        before = set(sys.modules)
        tf1grad.GradientAccumulator
        print(sorted(name for name in set(sys.modules) - before if name.split(".")[0] in ("scipy", "sklearn")))
        print("tf1grad.recipes.accumulation.accumulator" in sys.modules)
    """)
    assert output.split() == ["False", "[]", "True"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="`traceback` suggests no names before")
def test_python_suggests_the_name_for_a_misspelt_one():
    with pytest.raises(AttributeError) as caught:
        tf1grad.GradientAcumulator  # noqa: B018 - the error is the test
    (told,) = traceback.format_exception_only(caught.type, caught.value)
    assert "no attribute 'GradientAcumulator'. Did you mean: 'GradientAccumulator'?" in told


if __name__ == "__main__":
    with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as guide:
        text = guide.read()
    with open(os.path.join(ROOT, "CONTRIBUTING.md"), "w", encoding="utf-8") as guide:
        guide.write(MAP.sub(lambda _: room_map(), text))
