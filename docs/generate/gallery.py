"""Makes the gallery: the picture that each example draws, with its command.
Draws the pictures of the named examples.

python docs/generate/gallery.py NAME ...
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PICTURES = os.path.join(ROOT, "docs", "gallery")
ROW = re.compile(r"^\| \[(\w+)\.py\]\(\w+\.py\) \| (.*?) \| (.*?) \| (.*?) \| .* \|$", re.MULTILINE)
# What the pictures were drawn with, beside the file's name.
ARGUMENTS = {
    "adversarial_moons": ["--quick"],
    "clip_exploding_rnn": ["--quick"],
    "freeze_domain_adaptation": ["--quick"],
    "growing_batch_digits": ["--quick"],
    "pinn_burgers": ["--quick"],
    "pinn_burgers_identification": ["--quick"],
}


def examples():
    """Returns (name, what it shows, what to expect,
    what its picture shows) of each example, from their index.
    """
    with open(os.path.join(ROOT, "legacy_examples", "README.md"), encoding="utf-8") as file:
        return ROW.findall(file.read())


def command(name):
    """Returns the words of the command that draws an example's picture."""
    return ["python", f"legacy_examples/{name}.py", *ARGUMENTS.get(name, [])]


def text():
    """Returns the Markdown of the pictures."""
    return "\n\n".join(
        f"## {name}\n\n{shows[0].upper()}{shows[1:]}. The picture: {picture}.\n\n"
        f"```sh\n{' '.join(command(name))}\n```\n\n[![{picture}](gallery/{name}.png)](gallery/{name}.png)"
        for name, shows, _, picture in examples()
    )


def main(names):
    """Runs the named examples, or all, each with its picture into the gallery."""
    os.makedirs(PICTURES, exist_ok=True)
    for name in names or [name for name, *_ in examples()]:
        picture = os.path.join(PICTURES, name + ".png")
        words = [sys.executable, *command(name)[1:], "--output", picture]
        subprocess.run(words, cwd=ROOT, env={**os.environ, "MPLBACKEND": "Agg"}, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
