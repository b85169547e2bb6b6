"""Tests that the user's package index is asked, as pip and uv are configured, and no other."""

import base64
import os
import pathlib
import ssl
import subprocess

import pytest

import package_index
from tf1grad.run.packages import indexes, program_date, resolver

PRIVATE = {"of_ours/__init__.py": "version = 'ours'\n"}


@pytest.fixture
def home(tmp_path, monkeypatch, index):
    """An empty home, in which pip and uv have no configuration;
    `index` is not configured either.
    """
    found = tmp_path / "home"
    found.mkdir()
    for name in ("UV_DEFAULT_INDEX", "PIP_CONFIG_FILE", "PIP_INDEX_URL", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(found))
    return found


@pytest.fixture
def public():
    """A second index, which has a stranger's package under the name of ours."""
    found = package_index.Index()
    found.add_wheel("of-ours", "9.0", "2025-05-01", {"of_ours/__init__.py": "version = 'public'\n"})
    with package_index.served(found):
        yield found


def resolved(tmp_path, lines=("of-ours",)):
    """Returns the releases of today that the user's index has for lines, and their resolver."""
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    asking = resolver.Resolver(resolver.find_uv(), str(scratch))
    return {each.name: each.version for each in asking.resolve_of_then(lines, None)}, asking


def write(place, text):
    """Writes a file with the folders above it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def pip_conf(home, text):
    """Writes pip's configuration of the user."""
    write(home / ".config" / "pip" / "pip.conf", text)


def address(index):
    """Returns what configurations name."""
    return f"{index.url}/simple"


def test_the_index_of_pip_conf_is_the_only_one_asked(home, index, public, tmp_path):
    index.add_wheel("of-ours", "1.0", "2019-05-01", PRIVATE)
    pip_conf(home, f"[global]\nindex-url = {address(index)}\n")
    taken, asking = resolved(tmp_path)
    assert taken == {"of-ours": "1.0"} and public.asked == []
    (release,) = asking.resolve_of_then(["of-ours"], None)
    unpacked = asking.install([release])["of-ours"]
    assert "ours" in pathlib.Path(unpacked, "of_ours", "__init__.py").read_text()


ORDER = ["variable", "install", "global"]


@pytest.mark.slow
@pytest.mark.parametrize("first", ORDER)
def test_pips_order_of_precedence(home, index, public, tmp_path, monkeypatch, first):
    index.add_wheel("of-ours", "1.0", "2019-05-01", PRIVATE)
    of_each = {name: address(index if name == first else public) for name in ORDER}
    later = ORDER[ORDER.index(first) :]
    sections = [name for name in later if name != "variable"]
    pip_conf(home, "".join(f"[{name}]\nindex-url = {of_each[name]}\n" for name in sections))
    if first == "variable":
        monkeypatch.setenv("PIP_INDEX_URL", of_each["variable"])
    assert resolved(tmp_path)[0] == {"of-ours": "1.0"} and public.asked == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["variable", "file"])
def test_an_index_of_uv_goes_before_that_of_pip(home, index, public, tmp_path, monkeypatch, kind):
    index.add_wheel("of-ours", "1.0", "2019-05-01", PRIVATE)
    pip_conf(home, f"[global]\nindex-url = {address(public)}\n")
    if kind == "variable":
        monkeypatch.setenv("UV_DEFAULT_INDEX", address(index))
    else:
        write(home / ".config" / "uv" / "uv.toml", f'index-url = "{address(index)}"\n')
    assert resolved(tmp_path)[0] == {"of-ours": "1.0"} and public.asked == []


@pytest.mark.slow
def test_of_two_indexes_of_pip_the_best_release_is_taken(home, index, public, tmp_path):
    index.add_wheel("of-ours", "1.0", "2019-05-01", PRIVATE)
    text = f"[global]\nindex-url = {address(index)}\nextra-index-url = {address(public)}\n"
    pip_conf(home, text)
    assert resolved(tmp_path)[0] == {"of-ours": "9.0"}


@pytest.mark.slow
def test_a_folder_of_wheels_of_pip_is_looked_into(home, index, tmp_path):
    index.add_wheel("of-ours", "1.0", "2019-05-01", PRIVATE)
    (name, _, data) = index.files["of-ours"][0]
    write(home / "wheels" / "note", "")
    (home / "wheels" / name).write_bytes(data)
    pip_conf(home, f"[global]\nno-index = true\nfind-links = {home / 'wheels'}\n")
    taken, asking = resolved(tmp_path)
    assert taken == {"of-ours": "1.0"} and index.asked == []


@pytest.mark.slow
def test_the_configuration_of_a_program_is_not_obeyed(home, index, public, tmp_path):
    """A layer may lie below the program, and uv looks in the folders around its own."""
    index.add_wheel("of-ours", "1.0", "2019-05-01", PRIVATE)
    pip_conf(home, f"[global]\nindex-url = {address(index)}\n")
    mark = tmp_path / "executed"
    write(tmp_path / "pyproject.toml", f'[tool.uv]\nindex-url = "{address(public)}"\n')
    write(tmp_path / "uv.toml", f'index-url = "{address(public)}"\n')
    write(tmp_path / ".venv" / "bin" / "python", f"#!/bin/sh\ntouch {mark}\n")
    (tmp_path / ".venv" / "bin" / "python").chmod(0o755)
    write(tmp_path / ".venv" / "pyvenv.cfg", "home = /usr/bin\n")
    assert resolved(tmp_path)[0] == {"of-ours": "1.0"}
    assert public.asked == [] and not mark.exists()


def test_passwords_go_to_their_index_alone(monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine there.example login me password other\n")
    environment = {
        "UV_DEFAULT_INDEX": "https://user:p%40ss@here.example/simple",
        "NETRC": str(netrc),
    }
    opener = indexes.Opener(environment)
    sent = {}

    def answer(request, timeout):
        sent[request.host] = request.unredirected_hdrs.get("Authorization")
        assert "Authorization" not in request.headers

    monkeypatch.setattr(opener._opener, "open", answer)
    for host in ("here.example", "there.example", "elsewhere.example"):
        opener.open(f"https://{host}/files/x.whl")
    assert sent == {
        "here.example": "Basic " + base64.b64encode(b"user:p@ss").decode(),
        "there.example": "Basic " + base64.b64encode(b"me:other").decode(),
        "elsewhere.example": None,
    }


def test_messages_do_not_name_passwords(home, monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_INDEX_URL", "https://user:word@here.example/simple")
    found = indexes.read_indexes(resolver.find_uv(), str(tmp_path))
    assert found.address == "https://here.example/simple"
    assert found.environment["UV_DEFAULT_INDEX"] == "https://user:word@here.example/simple"


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_no_program_of_the_repository_is_started(folder, tmp_path):
    """A repository's configuration may name programs, which `git log` starts."""
    mark = tmp_path / "executed"
    path = folder.write("harm", f"#!/bin/sh\ntouch {mark}\ncat > /dev/null\n")
    os.chmod(path, 0o755)

    def git(*words, **options):
        return subprocess.run(
            ["git", *words], cwd=folder.path, check=True, capture_output=True, text=True, **options
        ).stdout.strip()

    git("init", "-q")
    tree = git("mktree", input="")
    signed = (
        f"tree {tree}\nauthor a <b> 1530000000 +0000\ncommitter a <b> 1530000000 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nx\n"
    )
    commit = git("hash-object", "-t", "commit", "-w", "--stdin", input=signed)
    git("update-ref", "HEAD", commit)
    for name, value in (
        ("gpg.program", path),
        ("log.showSignature", "true"),
        ("core.pager", path),
        ("core.fsmonitor", path),
        ("core.sshCommand", path),
    ):
        git("config", name, value)
    assert program_date._last_commit(folder.path) == "2018-06-26"
    assert not mark.exists()


def test_certificates_are_those_of_certifi_where_python_has_none(monkeypatch):
    certifi = pytest.importorskip("certifi")
    made = []

    def without_certificates(cafile=None):
        made.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        if cafile:
            made[-1].load_verify_locations(cafile)
        return made[-1]

    monkeypatch.setattr(ssl, "create_default_context", without_certificates)
    indexes.Opener({})
    expected = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    expected.load_verify_locations(certifi.where())
    assert made[0].cert_store_stats() == expected.cert_store_stats()
    assert expected.cert_store_stats()["x509_ca"] > 0
