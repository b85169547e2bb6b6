"""Serves a package index on this machine, with releases,
upload times and faults that a test writes.
"""

import contextlib
import functools
import hashlib
import http.server
import io
import json
import re
import tarfile
import threading
import zipfile

JSON = "application/vnd.pypi.simple.v1+json"


def wheel_of(files):
    """Returns the bytes of a wheel with {file: text}."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return data.getvalue()


class Index:
    """The releases of an index, by package; `url` is its address while `served` runs.

    `faults` maps a path, such as "simple/plain" or the name of a file, to one of the `FAULTS`.
    `asked` are the paths that were asked for.
    """

    def __init__(self):
        self.files = {}
        self.faults = {}
        self.asked = []
        self.is_over = threading.Event()
        self.has_times = True
        self.url = ""

    def add_wheel(self, name, version, day, modules, requires=(), tag="py3-none-any"):
        """Adds a wheel with {file: text} in `modules`, uploaded on a day such as 2019-05-01."""
        stem = f"{name.replace('-', '_')}-{version}"
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {each}" for each in requires]
        described = {
            f"{stem}.dist-info/METADATA": "\n".join(lines) + "\n",
            f"{stem}.dist-info/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
        }
        files = {**modules, **described}
        files[f"{stem}.dist-info/RECORD"] = "".join(f"{file},,\n" for file in files)
        self.add_file(name, f"{stem}-{tag}.whl", day, wheel_of(files))

    def add_source(self, name, version, day, files, requires=()):
        """Adds a source package with {file: text}, and the metadata that setuptools writes."""
        stem = f"{name}-{version}"
        info = f"Metadata-Version: 1.0\nName: {name}\nVersion: {version}\n"
        files = {**files, "PKG-INFO": info}
        folder = f"{name.replace('-', '_')}.egg-info"
        files[f"{folder}/PKG-INFO"] = info
        files[f"{folder}/requires.txt"] = "\n".join(requires)
        tops = {file.partition("/")[0] for file in files if file.endswith("/__init__.py")}
        files[f"{folder}/top_level.txt"] = "\n".join(tops)
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as archive:
            for file, text in files.items():
                entry = tarfile.TarInfo(f"{stem}/{file}")
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))
        self.add_file(name, f"{stem}.tar.gz", day, data.getvalue())

    def add_file(self, name, file, day, data):
        """Adds a file with these bytes."""
        key = re.sub(r"[-_.]+", "-", name).lower()
        self.files.setdefault(key, []).append((file, day, data))

    def page(self, name):
        """Returns the page of a package, or None."""
        if name not in self.files:
            return None
        rows = []
        for file, day, data in self.files[name]:
            digest = hashlib.sha256(data).hexdigest()
            row = {
                "filename": file,
                "url": f"{self.url}/files/{file}",
                "hashes": {"sha256": digest},
            }
            row["size"] = len(data)
            if self.has_times:
                row["upload-time"] = f"{day}T00:00:00Z"
            rows.append(row)
        page = {"meta": {"api-version": "1.1"}, "name": name, "files": rows}
        return json.dumps(page).encode()

    def digest(self, file):
        """Returns the SHA-256 of a file."""
        return hashlib.sha256(self.data(file)).hexdigest()

    def data(self, file):
        """Returns the bytes of a file, or None."""
        every = [each for files in self.files.values() for each in files]
        return next((data for name, _, data in every if name == file), None)


def _answer_status(handler, data):
    handler.answer(int(handler.fault), b"no", "text/plain")


def _answer_login(handler, data):
    page = b"<html><body><form>Sign in to see this page</form></body></html>"
    handler.answer(200, page, "text/html")


def _answer_garbled(handler, data):
    handler.answer(200, b"\x00\xff{" + data[3:])


def _answer_flipped(handler, data):
    middle = len(data) // 3
    handler.answer(200, data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :])


def _answer_short(handler, data):
    handler.answer(200, data[: len(data) // 2])


def _answer_truncated(handler, data):
    handler.answer(200, data[: len(data) // 2], length=len(data))
    handler.close_connection = True


def _answer_another(handler, data):
    """Answers with another package, which is whole and has another checksum."""
    other = Index()
    other.add_wheel("plain", "1.0", "2018-05-01", {"plain.py": "print('another')\n"})
    handler.answer(200, other.files["plain"][0][2])


def _answer_redirected(handler, data):
    handler.answer(302, b"", "text/plain", Location=handler.path)


def _hang(handler, data):
    handler.hang()


def _hang_up(handler, data):
    handler.close_connection = True


FAULTS = {
    **dict.fromkeys(["401", "403", "404", "410", "429", "500", "503"], _answer_status),
    "a login page": _answer_login,
    "garbled": _answer_garbled,
    "a flipped byte": _answer_flipped,
    "cut": _answer_short,
    "broken off": _answer_truncated,
    "another": _answer_another,
    "redirects for ever": _answer_redirected,
    "hangs": _hang,
    "hangs up": _hang_up,
}


class _Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, index, *arguments):
        self._index = index
        self.fault = None
        super().__init__(*arguments)

    def do_GET(self):  # noqa: N802
        path = self.path.strip("/")
        self._index.asked.append(path)
        kind, _, name = path.partition("/")
        is_page = kind == "simple"
        data = self._index.page(name) if is_page else self._index.data(name)
        self.fault = self._index.faults.get(path if is_page else name)
        if self.fault:
            FAULTS[self.fault](self, data or b"")
        else:
            kind = JSON if is_page else "application/octet-stream"
            self.answer(404 if data is None else 200, data or b"", kind)

    do_HEAD = do_GET  # noqa: N815

    def answer(self, status, data, kind=JSON, length=None, **headers):
        """Answers with bytes; `length` is what it says to be their number."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(data)

    def hang(self):
        """Answers nothing until the index is closed."""
        self._index.is_over.wait(60)
        self.close_connection = True

    def log_message(self, *arguments):
        pass


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 500  # uv asks for many pages at once


@contextlib.contextmanager
def served(index):
    """Yields an index that answers at its `url`."""
    server = _Server(("127.0.0.1", 0), functools.partial(_Handler, index))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    index.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield index
    finally:
        index.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
