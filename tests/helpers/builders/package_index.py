"""Serves a package index on this machine, with releases and upload times that a test writes."""

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


class Index:
    """The releases of an index, by package; `url` is its address while `served` runs."""

    def __init__(self):
        self.files = {}
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
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            for file, text in files.items():
                archive.writestr(file, text)
        self._add(name, f"{stem}-{tag}.whl", day, data.getvalue())

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
        self._add(name, f"{stem}.tar.gz", day, data.getvalue())

    def _add(self, name, file, day, data):
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

    def data(self, file):
        """Returns the bytes of a file, or None."""
        every = [each for files in self.files.values() for each in files]
        return next((data for name, _, data in every if name == file), None)


class _Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, index, *arguments):
        self._index = index
        super().__init__(*arguments)

    def do_GET(self):  # noqa: N802
        kind, name = self.path.strip("/").split("/", 1)
        is_page = kind == "simple"
        data = self._index.page(name) if is_page else self._index.data(name)
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Type", JSON if is_page else "application/octet-stream")
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data or b"")

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def served(index):
    """Yields an index that answers at its `url`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, index))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    index.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
