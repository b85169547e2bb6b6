"""Asks uv which releases fit requirements, as of a date, and lets it fetch them."""

from __future__ import annotations

import importlib
import os
import pathlib
import subprocess
import sys
from typing import Any, Iterable, NamedTuple, NoReturn, Sequence

from tf1grad.old_programs.names.packages import normalized
from tf1grad.old_programs.packages import uv_errors
from tf1grad.old_programs.period import folder, helper_processes, parts, sources

BACKEND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "build_backend")
PYTHON_OF_THEN = "3.7"  # the newest that TensorFlow 1 ran on
# uv would start each Python that it finds, to look for `PYTHON_OF_THEN`.
COMPILE = ("compile", "--python", sys.executable)
PYPI = "https://pypi.org/simple"
WITHOUT_DATES = "the package index gives no upload times, which a date needs. `--date none` takes today's releases"


class Release(NamedTuple):
    """Describes a release that uv chose: `uploaded` is a date such as 2019-06-12, `size` its largest file in bytes.

    `is_compiled` is True where it has wheels, but none for every system.
    """

    name: str
    version: str
    uploaded: str
    size: int
    is_compiled: bool
    hashes: Sequence[str]

    @property
    def pin(self) -> str:
        """The release as pip's requirement."""
        return f"{self.name}=={self.version}"


class NoSolution(Exception):
    """There are no releases that fit, or one cannot be unpacked here: asking again changes nothing.

    The text says why in a line. A fault of the moment is a `sources.Failed`.
    """


class Resolver:
    """Runs uv, which has the path `command`, with a cache in the folder `scratch`."""

    def __init__(self, command: str, scratch: str) -> None:
        self._command = command
        self.scratch = scratch
        self._environment = _environment(os.path.join(scratch, "uv-cache"))
        self._with_page: set[str] = set()  # packages of which the index lists files

    def resolve(
        self,
        lines: Iterable[str],
        *,
        date: str | None,
        python: str,
        options: Sequence[str] = (),
        overrides: Sequence[str] = (),
    ) -> list[Release]:
        """Returns the newest releases of a date that fit the lines.

        Raises `NoSolution` where there are none, and `sources.Failed` where the index does not answer as it should.

        Nothing is built. `python` is a version such as "3.7"; without a `date` they are today's. `overrides` are
        requirements that replace those of any package.
        """
        command = [*COMPILE, "--format", "pylock.toml", "--python-version", python, *options]
        if date:
            command += ["--exclude-newer", date]
        if overrides:
            path = os.path.join(self.scratch, "overrides.txt")
            pathlib.Path(path).write_text("\n".join(overrides), encoding="utf-8")
            command += ["--override", path]
        path = os.path.join(self.scratch, "requirements.in")
        pathlib.Path(path).write_text("\n".join(lines), encoding="utf-8")
        done = self._run([*command, path])
        if "upload date" in done.stderr or "upload time" in done.stderr:
            raise sources.Failed(WITHOUT_DATES)
        if done.returncode:
            self._raise(done.stderr)
        return [_release(row) for row in read_toml(done.stdout).get("packages", [])]

    def resolve_of_then(self, lines: Iterable[str], date: str | None) -> list[Release]:
        """Returns the releases that fit the lines, without what they need, for the newest Python of TensorFlow 1."""
        return self.resolve(lines, date=date, python=PYTHON_OF_THEN, options=["--no-deps"])

    def install(self, releases: Iterable[Release], target: str) -> None:
        """Unpacks releases, and nothing that they need, into the folder `target`.

        Raises `NoSolution` where one is missing or cannot be unpacked, and `sources.Failed` where one does not come.
        Source packages are packed by `build_backend`, which executes nothing of them.
        """
        file = os.path.join(self.scratch, "wanted.txt")
        with open(file, "w", encoding="utf-8") as opened:
            opened.writelines(f"{hashed(release)}\n" for release in releases)
        command = ["install", "--python", sys.executable, "--no-deps", "--no-build-isolation"]
        command += ["--target", target, "--upgrade", "--require-hashes", "--link-mode", "copy"]
        done = self._run([*command, "-r", file], PYTHONPATH=BACKEND)
        if done.returncode:
            self._raise(done.stderr)

    def _run(self, command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
        shows = command[0] == "install" and sys.stderr.isatty()
        done = helper_processes.run(
            [self._command, "pip", *command] + ["--no-progress"] * (not shows),
            self._index,
            env=dict(self._environment, **more),
            cwd=self.scratch,
        )
        if done.returncode:
            uv_errors.refuse_full_disk(done.stderr, self.scratch)
        return done

    def _raise(self, stderr: str) -> NoReturn:
        """Raises the error of a failed uv."""
        if not uv_errors.is_lasting(stderr):
            raise uv_errors.failed_now(uv_errors.reason(stderr))
        for name in uv_errors.without_files(stderr) - self._with_page:
            self._refuse_empty_page(name)
        raise NoSolution(uv_errors.reason(stderr))

    def _refuse_empty_page(self, name: str) -> None:
        """Raises `sources.Failed` where the index lists no file of a package: its page may be one to log in."""
        self._with_page.add(name)
        asked = os.path.join(self.scratch, "page.in")
        pathlib.Path(asked).write_text(name, encoding="utf-8")
        command = [*COMPILE, "--no-deps", "--python-version", PYTHON_OF_THEN, asked]
        if name in uv_errors.without_files(self._run(command).stderr):
            raise uv_errors.failed_now(uv_errors.EMPTY_PAGE.format(name, self._index))

    @property
    def _index(self) -> str:
        return self._environment.get("UV_DEFAULT_INDEX", PYPI)


def hashed(release: Release) -> str:
    """Returns a release as a line of requirements.txt, with its hashes."""
    return " ".join([release.pin, *(f"--hash=sha256:{each}" for each in release.hashes)])


def add_toml_reader() -> None:
    """Fetches what reads TOML for a Python that cannot; not in a part's fetch, under whose lock nothing else is."""
    if sys.version_info < (3, 11):
        from tf1grad.old_programs.period import layer

        layer.add_readers()


def read_toml(text: str) -> dict[str, Any]:
    """Returns the contents of a TOML file; a ValueError where it is none."""
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib.loads(text)
    add_toml_reader()
    contents: dict[str, Any] = importlib.import_module("tomli").loads(text)
    return contents


def _release(row: dict[str, Any]) -> Release:
    wheels = row.get("wheels", [])
    files = wheels + [row[kind] for kind in ("sdist", "archive") if kind in row]
    return Release(
        normalized(row["name"]),
        row["version"],
        max((str(file.get("upload-time", ""))[:10] for file in files), default=""),
        max((file.get("size", 0) for file in wheels or files), default=0),
        bool(wheels) and not any(file["url"].endswith("none-any.whl") for file in wheels),
        [file["hashes"]["sha256"] for file in files],
    )


def uv() -> str:
    """Returns the path of the layer's uv, which is fetched where it is missing."""
    from tf1grad.old_programs.period import layer

    layer.fetch([parts.UV])
    found = os.path.join(folder.find(parts.UV.name) or "", "bin")
    return os.path.join(found, os.listdir(found)[0])


def _environment(cache: str) -> dict[str, str]:
    """Returns the environment of uv, which takes pip's index where it has none of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment.update(UV_CACHE_DIR=cache, UV_PYTHON_DOWNLOADS="never")
    for own, of_pip in (
        ("UV_DEFAULT_INDEX", "PIP_INDEX_URL"),
        ("UV_INDEX", "PIP_EXTRA_INDEX_URL"),
        ("SSL_CERT_FILE", "PIP_CERT"),
    ):
        if os.environ.get(of_pip):
            environment.setdefault(own, os.environ[of_pip])
    return environment
