"""Tests that nothing of a stranger's package is executed before the program is,
and what is told of such packages.

Each package would leave a mark on the disk. They come from an index of this test alone.
"""

import io
import os
import pathlib
import tarfile
import zipfile

import pytest

from package_index import wheel_of
from tf1grad.run.packages import archives, resolver
from tf1grad.run.packages.releases import NoSolution, Release, best_file

DAY = "2019-01-01"
INFO = "Metadata-Version: 2.1\nName: {}\nVersion: 1.0\n"
BACKEND = """
{mark}
def build_wheel(*given, **named): raise SystemExit("built")
get_requires_for_build_wheel = prepare_metadata_for_build_wheel = build_wheel
"""
# Files of source packages whose code pip or uv would execute, as a build.
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n'
DYNAMIC = PROJECT + '[project]\nname = "hostile"\ndynamic = ["version"]\n'
BUILDS = {
    "setup.py": {"setup.py": "{mark}"},
    "setuptools of its own": {"setup.py": "{mark}", "setuptools/__init__.py": BACKEND},
    "a build backend": {"pyproject.toml": PROJECT, "own.py": BACKEND},
    "a build backend and dynamic metadata": {"pyproject.toml": DYNAMIC, "own.py": BACKEND},
    "a backend in a folder": {
        "pyproject.toml": PROJECT.replace('["."]', '["in"]'),
        "in/own.py": BACKEND,
    },
    "pip, wheel and uv of its own": {
        "setup.py": "{mark}",
        **{f"{name}/__init__.py": "{mark}" for name in ("pip", "wheel", "uv", "packaging")},
    },
}
# Files of wheels that Python, TensorFlow or a tool would execute, or that replace what everybody
# imports.
WHEELS = {
    "a file .pth": {"hostile.pth": "import os; {mark}"},
    "a file .pth of another name": {"hostile-1.0-nspkg.pth": "import os; {mark}"},
    "sitecustomize": {"sitecustomize.py": "{mark}"},
    "usercustomize": {"usercustomize/__init__.py": "{mark}"},
    "modules of Python": {"json/__init__.py": "{mark}", "subprocess.py": "{mark}"},
    "modules that run imports": {
        **{f"{name}.py": "{mark}" for name in ("tf1grad", "packaging", "numpy", "tomli", "fissix")},
        **{f"{name}/__init__.py": "{mark}" for name in ("tensorflow", "pip", "setuptools")},
    },
    "conftest": {"conftest.py": "{mark}"},
    "console scripts": {"hostile-1.0.data/scripts/python": "#!/bin/sh\n{mark}"},
    "entry points": {
        "hostile-1.0.dist-info/entry_points.txt": "[console_scripts]\npython = hostile:main\n"
        "[pytest11]\nx = hostile\n[numba_extensions]\ninit = hostile:main\n"
    },
    "data beside the environment": {"hostile-1.0.data/data/lib/hostile.pth": "import os; {mark}"},
    "a plugin of TensorFlow": {"tensorflow-plugins/hostile.so": "{mark}"},
}
# Wheels that are refused, with the words that the user reads.
OUTSIDE = {
    "a path upwards": "../../{name}",
    "an absolute path": "/{name}",
    "a path upwards with backslashes": "..\\..\\{name}",
    "a path with a drive": "C:/{name}",
}


@pytest.fixture
def mark(tmp_path):
    """Returns a line that leaves a mark, in Python and, harmlessly, in a shell."""
    return f"open({str(tmp_path / 'executed')!r}, 'a').write('executed')"


@pytest.fixture
def resolving(index, tmp_path):
    """A resolver that asks the index."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return resolver.Resolver(resolver.find_uv(), str(scratch))


def filled(files, mark):
    """Returns {file: text} with the mark in the texts."""
    return {name: text.replace("{mark}", mark) for name, text in files.items()}


RUN = "import hostile, subprocess, sys\nprint('began')\nsubprocess.run([sys.executable, '-c', ''], check=True)\n"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*BUILDS, *WHEELS])
def test_nothing_is_executed_before_the_program(
    kind, program, folder, index, layer, tmp_path, mark
):
    if kind in BUILDS:
        files = filled(BUILDS[kind], mark)
        index.add_source("hostile", "1.0", DAY, {"hostile/__init__.py": "", **files})
    else:
        files = filled(WHEELS[kind], mark)
        index.add_wheel("hostile", "1.0", DAY, {"hostile/__init__.py": "", **files})
    program({"train.py": RUN, "requirements.txt": "hostile==1.0\n"})
    folder.start("-m", "tf1grad", "doctor", ".").communicate()
    code, output, errors = folder.run("train.py")
    assert (code, output) == (0, "began\n"), errors
    assert not (tmp_path / "executed").exists()
    kept = {path.name for path in layer.glob("package-*/site-packages/*")} - {"__pycache__"}
    kept = [name for name in kept if "info" not in name]
    assert kept == ["hostile"] or kind in ("conftest",)


def test_no_build_is_started(resolving, index, tmp_path, mark):
    for number, files in enumerate(BUILDS.values()):
        name = f"hostile{number}"
        texts = {f"{name}/__init__.py": mark, **filled(files, mark)}
        index.add_source(name, "1.0", DAY, texts, ["plain"])
        (release,) = resolving.resolve_of_then([f"{name}==1.0"], "2020-01-01")
        target = pathlib.Path(resolving.install([release])[name])
        assert sorted(os.listdir(str(target))) == [name, f"{name}-1.0.dist-info"]
        assert (
            "Requires-Dist: plain\n" in (target / f"{name}-1.0.dist-info" / "METADATA").read_text()
        )
    assert not (tmp_path / "executed").exists()


def refusal(resolving, tmp_path):
    """Returns why the package `hostile` is refused; nothing is written beside its folder."""
    (release,) = resolving.resolve_of_then(["hostile==1.0"], None)
    before = set(os.listdir(resolving.scratch))
    with pytest.raises(NoSolution) as caught:
        resolving.install([release])
    assert set(os.listdir(resolving.scratch)) - before == {"unpacked"}
    assert not list(tmp_path.rglob("escaped*"))
    return str(caught.value)


@pytest.mark.parametrize("kind", OUTSIDE)
def test_a_path_that_leads_out_is_refused(resolving, index, tmp_path, kind):
    path = OUTSIDE[kind].format(name="escaped.py")
    texts = {"hostile-1.0.dist-info/METADATA": INFO.format("hostile"), path: "x = 1\n"}
    index.add_file("hostile", "hostile-1.0-py3-none-any.whl", DAY, wheel_of(texts))
    assert "whose path leads out of it" in refusal(resolving, tmp_path)


def source_of(entries):
    """Returns the bytes of a source package with these members and bytes."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for member, content in entries:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def member(name, **attributes):
    """Returns a member of a tar archive."""
    found = tarfile.TarInfo(name)
    for attribute, value in attributes.items():
        setattr(found, attribute, value)
    return found


def test_a_path_of_a_source_package_that_leads_out_is_refused(resolving, index, tmp_path):
    data = source_of([(member("hostile-1.0/../../../escaped.py"), b"x = 1\n")])
    index.add_file("hostile", "hostile-1.0.tar.gz", DAY, data)
    assert "whose path leads out of it" in refusal(resolving, tmp_path)


def test_links_and_devices_of_a_source_package_are_left_out(resolving, index, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    info = INFO.format("hostile").encode()
    data = source_of(
        [
            (member("hostile-1.0/PKG-INFO"), info),
            (member("hostile-1.0/hostile/__init__.py"), b""),
            (member("hostile-1.0/hostile/to", type=tarfile.SYMTYPE, linkname=str(outside)), b""),
            (member("hostile-1.0/hostile/to/escaped.py"), b"x = 1\n"),
            (
                member("hostile-1.0/hostile/h.py", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
                b"",
            ),
            (member("hostile-1.0/hostile/fifo.py", type=tarfile.FIFOTYPE), b""),
        ]
    )
    index.add_file("hostile", "hostile-1.0.tar.gz", DAY, data)
    (release,) = resolving.resolve_of_then(["hostile==1.0"], None)
    target = pathlib.Path(resolving.install([release])["hostile"])
    assert sorted(os.listdir(str(target / "hostile"))) == ["__init__.py", "to"]
    assert not list(outside.iterdir())
    assert not any(path.is_symlink() for path in target.rglob("*"))


@pytest.mark.slow
@pytest.mark.each_release
def test_a_wheel_that_unpacks_to_a_gigabyte_is_refused(resolving, index, tmp_path):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hostile-1.0.dist-info/METADATA", INFO.format("hostile"))
        with archive.open("hostile.py", "w") as opened:
            for _ in range(1000):
                opened.write(b" " * 10**6)
    assert len(data.getvalue()) < 2 * 10**6
    index.add_file("hostile", "hostile-1.0-py3-none-any.whl", DAY, data.getvalue())
    assert "its 1.0 MB unpack to more than 100 MB" in refusal(resolving, tmp_path)


@pytest.mark.slow
def test_a_source_package_that_unpacks_to_a_gigabyte_is_refused(resolving, index, tmp_path):
    data = source_of([(member("hostile-1.0/hostile.py"), b" " * 10**9)])
    index.add_file("hostile", "hostile-1.0.tar.gz", DAY, data)
    assert "MB unpack to more than 100 MB" in refusal(resolving, tmp_path)


LARGE = {
    "hostile-1.0.zip": "hostile-1.0/hostile.py",
    "hostile-1.0-py3-none-any.whl": "hostile-1.0.dist-info/METADATA",
}


@pytest.mark.parametrize("file", LARGE)
def test_other_archives_have_the_limit_too(resolving, index, tmp_path, monkeypatch, file):
    """uv takes no source package but .tar.gz and .zip. The metadata of a wheel are read first."""
    monkeypatch.setattr(archives, "LEAST_LIMIT", 10**5)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(LARGE[file], b" " * 3 * 10**6)
    index.add_file("hostile", file, DAY, data.getvalue())
    assert "unpack to more than" in refusal(resolving, tmp_path)


def test_a_package_of_many_files_is_refused(resolving, index, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_FILES", 10)
    files = {f"hostile/m{number}.py": "" for number in range(10)}
    index.add_wheel("hostile", "1.0", DAY, files)
    assert "or to more than 10 files" in refusal(resolving, tmp_path)


@pytest.mark.parametrize("name", ["plain", "../../escaped", ""])
def test_metadata_of_another_package_are_refused(resolving, index, tmp_path, name):
    index.add_file(
        "hostile",
        "hostile-1.0.tar.gz",
        DAY,
        source_of(
            [
                (member("hostile-1.0/PKG-INFO"), INFO.format(name).encode()),
                (member("hostile-1.0/hostile.py"), b""),
            ]
        ),
    )
    assert "not of hostile==1.0" in refusal(resolving, tmp_path)


@pytest.mark.slow
def test_what_is_refused_is_said_and_the_program_runs(program, folder, index, tmp_path):
    index.add_wheel("hostile", "1.0", DAY, {"../../escaped.py": "x = 1\n"})
    program({"train.py": "print('ran')\n", "requirements.txt": "hostile==1.0\nold-layers\n"})
    code, output, errors = folder.run("train.py")
    assert (code, output) == (0, "ran\n"), errors
    assert "hostile==1.0 cannot be had: hostile-1.0-py3-none-any.whl: it has a file whose" in errors
    assert not list(tmp_path.rglob("escaped*"))


def test_the_best_file_is_the_wheel_for_this_python_then_the_source_package(resolving, index):
    index.add_source("several", "1.0", DAY, {"several/__init__.py": ""})
    (release,) = resolving.resolve_of_then(["several"], None)
    assert best_file(release.files).name == "several-1.0.tar.gz"
    for tag in ("cp27-cp27mu-win32", "py3-none-any"):
        index.add_wheel("other", "1.0", DAY, {"other.py": ""}, tag=tag)
    (release,) = resolving.resolve_of_then(["other"], None)
    assert isinstance(release, Release)
    assert best_file(release.files).name == "other-1.0-py3-none-any.whl"
