"""Reads which package index the user has configured, for uv or for pip,
and opens the addresses of its files.

uv and pip are asked for their configuration, so files, variables and sections count as they do
there. If uv has an index of its own, that one is asked. Otherwise it is pip's: where pip has
several, uv takes the best release of all of them, as pip does.
"""

from __future__ import annotations

import ast
import base64
import netrc
import os
import pathlib
import re
import ssl
import subprocess
import urllib.parse
import urllib.request
from typing import Any, Mapping, NamedTuple

from tf1grad.programs.period import pip

PYPI = "https://pypi.org/simple"
# As `uv --show-settings` prints it where nothing is configured.
_NO_INDEX_OF_UV = re.compile(r"indexes: \[\],\s*flat_index: \[\],\s*no_index: false")
_SETTING = re.compile(r"^(global|install|:env:)\.([\w-]+)=(.*)$", re.M)
_WITH_PASSWORD = re.compile(r"(https?)://([^/\s:@'\"]+)(?::([^/\s@'\"]*))?@([^/\s'\"]+)")
_SECONDS = 30  # as uv waits


class Indexes(NamedTuple):
    """Holds the environment and the options with which uv asks the user's index."""

    environment: dict[str, str]
    options: list[str]

    @property
    def address(self) -> str:
        """The address of the index that messages name."""
        address = self.environment.get("UV_DEFAULT_INDEX") or self.environment.get("UV_INDEX_URL")
        return _WITH_PASSWORD.sub(r"\1://\4", address or PYPI)


def read_indexes(uv: str, scratch: str) -> Indexes:
    """Returns what the user has configured; uv, which has this path,
    is started in the folder `scratch`.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["UV_PYTHON_DOWNLOADS"] = "never"
    of_pip = _settings_of_pip(scratch)
    for name, value in (
        ("SSL_CERT_FILE", of_pip.get("cert")),
        ("SSL_CLIENT_CERT", of_pip.get("client-cert")),
        ("UV_INSECURE_HOST", of_pip.get("trusted-host")),
        ("HTTP_PROXY", of_pip.get("proxy")),
        ("HTTPS_PROXY", of_pip.get("proxy")),
    ):
        if value:
            environment.setdefault(name, " ".join(value.split()))
    options: list[str] = []
    if _has_no_index(uv, scratch, environment):
        _take_index_of_pip(of_pip, environment, options)
    return Indexes(environment, options)


def _take_index_of_pip(
    of_pip: Mapping[str, str], environment: dict[str, str], options: list[str]
) -> None:
    if of_pip.get("index-url"):
        environment["UV_DEFAULT_INDEX"] = of_pip["index-url"].strip()
    others = of_pip.get("extra-index-url", "").split()
    if others:
        environment["UV_INDEX"] = " ".join(others)
        environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    for place in of_pip.get("find-links", "").split():
        is_address = re.match(r"\w+://", place)
        options += ["--find-links", place if is_address else os.path.abspath(place)]
    if of_pip.get("no-index", "").lower() in ("1", "true", "yes", "on", "t", "y"):
        options.append("--no-index")


def _has_no_index(uv: str, scratch: str, environment: Mapping[str, str]) -> bool:
    """Says whether uv's files and variables name no index and no folder of packages."""
    # It would print all certificates as well.
    without = {name: value for name, value in environment.items() if not name.startswith("SSL_")}
    done = subprocess.run(
        [uv, "pip", "compile", "--show-settings", "-"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=without,
        cwd=scratch,
        encoding="utf-8",
        errors="replace",
    )
    return bool(_NO_INDEX_OF_UV.search(done.stdout))


def _settings_of_pip(scratch: str) -> dict[str, str]:
    """Returns pip's settings for `pip install`:
    its variables go before its section, and that before the global one.
    """
    command = pip.find_command()
    if command is None:
        return {}
    done = subprocess.run(
        [*command, "config", "list"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=scratch,
        encoding="utf-8",
        errors="replace",
    )
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for section, name, value in _SETTING.findall(done.stdout):
        found[section][name] = ast.literal_eval(value)
    return {**found["global"], **found["install"], **found[":env:"]}


class Opener:
    """Opens the addresses of files, as uv would:
    with the user's proxy, certificates and passwords.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._seconds = float(environment.get("UV_HTTP_TIMEOUT") or _SECONDS)
        self.attempts = 1 + int(environment.get("UV_HTTP_RETRIES") or 3)
        self._passwords = _passwords(environment)
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler(_proxies(environment)),
            urllib.request.HTTPSHandler(context=self._context()),
        )

    def open(self, address: str) -> Any:
        """Opens an address; raises an `OSError` or `http.client.HTTPException`
        where it does not answer.
        """
        request = urllib.request.Request(address, headers={"User-Agent": "tf1grad"})
        host = urllib.parse.urlsplit(address).netloc
        password = self._passwords.get(host) or _of_netrc(self._environment, host)
        if password:
            encoded = base64.b64encode(":".join(password).encode()).decode()
            # An address to which the index redirects does not get it.
            request.add_unredirected_header("Authorization", f"Basic {encoded}")
        return self._opener.open(request, timeout=self._seconds)

    def _context(self) -> ssl.SSLContext:
        certificates = self._environment.get("SSL_CERT_FILE")
        context = ssl.create_default_context(cafile=certificates)
        if self._environment.get("SSL_CLIENT_CERT"):
            context.load_cert_chain(self._environment["SSL_CLIENT_CERT"])
        if not certificates and not context.cert_store_stats()["x509_ca"]:
            try:  # Python of python.org for macOS finds none
                import certifi
            except ImportError:
                return context
            context.load_verify_locations(certifi.where())
        return context


def _proxies(environment: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for scheme in ("http", "https"):
        for name in (f"{scheme}_proxy", "all_proxy"):
            value = environment.get(name) or environment.get(name.upper())
            if value:
                found.setdefault(scheme, value)
    return found


def _passwords(environment: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Returns the names and passwords in addresses of uv's variables and its file, by the host."""
    home = environment.get("APPDATA") or environment.get("XDG_CONFIG_HOME")
    file = pathlib.Path(home or os.path.expanduser("~/.config"), "uv", "uv.toml")
    file = pathlib.Path(environment.get("UV_CONFIG_FILE") or file)
    texts = [value for name, value in environment.items() if name.startswith("UV_")]
    texts.append(file.read_text(encoding="utf-8", errors="replace") if file.is_file() else "")
    found = _WITH_PASSWORD.findall("\n".join(texts))
    unquote = urllib.parse.unquote
    return {host: (unquote(user), unquote(word)) for _, user, word, host in found}


def _of_netrc(environment: Mapping[str, str], host: str) -> tuple[str, str] | None:
    try:
        found = netrc.netrc(environment.get("NETRC")).authenticators(host.partition(":")[0])
    except (OSError, netrc.NetrcParseError):
        return None
    return (found[0], found[2] or "") if found else None
