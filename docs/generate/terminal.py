"""Draws the terminal picture of the README:
two commands in the folder of the migration guide, and what they print.

python docs/generate/terminal.py
"""

import html
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "legacy_examples", "migration")
PICTURE = os.path.join(ROOT, "docs", "terminal.svg")
# The error's last line alone: Python versions differ in what they print before it.
COMMANDS = ["python spirals.py 2>&1 | tail -n 1", "tf1grad run --quiet spirals.py"]
COLUMN, LINE, MARGIN = 8.4, 22, 20  # in units of the picture
TEXT = re.compile(r'<text class="(\w+)" .*?>(.*)</text>')


def printed(command, folder):
    """Returns the lines that a command prints in a folder,
    with this Python and its tf1grad on the PATH.
    """
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    environment = {**os.environ, "PATH": path, "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def drawn(session):
    """Returns the SVG of (command, lines) pairs."""
    rows = []
    for command, lines in session:
        rows.append(("command", "$ " + command))
        rows += [("error" if "Error: " in line else "output", line) for line in lines]
    width = round(COLUMN * max(len(text) for _, text in rows) + 2 * MARGIN)
    height = LINE * len(rows) + 2 * MARGIN
    texts = [
        f'<text class="{kind}" x="{MARGIN}" y="{MARGIN + LINE * number + 16}"'
        f' textLength="{COLUMN * len(text):.1f}">{html.escape(text, quote=False)}</text>'
        for number, (kind, text) in enumerate(rows)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img">',
            "<title>A script of 2017 fails on TensorFlow 2, and trains under tf1grad run</title>",
            "<style>",
            "text { font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace;"
            " fill: #d0d7de; white-space: pre }",
            ".command { fill: #7ee787 } .error { fill: #ff7b72 }",
            "</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#161b22" stroke="#57606a"/>',
            *texts,
            "</svg>\n",
        ]
    )


def shown():
    """Returns the (command, lines) pairs that the picture shows."""
    session = []
    with open(PICTURE, encoding="utf-8") as file:
        for kind, text in TEXT.findall(file.read()):
            text = html.unescape(text)
            if kind == "command":
                session.append((text[len("$ ") :], []))
            else:
                session[-1][1].append(text)
    return session


if __name__ == "__main__":
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(drawn([(command, printed(command, FOLDER)) for command in COMMANDS]))
