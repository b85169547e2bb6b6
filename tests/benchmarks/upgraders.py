"""Counts the old scripts that run after TensorFlow's own tf_upgrade_v2 and after `tf1grad upgrade`.

    python tests/benchmarks/upgraders.py [SCRIPT ...]

All scripts of legacy_examples/scripts are copied, rewritten by one of the tools, and started one by one under this
Python, which takes some minutes. A cell is "runs", or the last line of the error. The scripts are ours, and `tf1grad
upgrade` was made with them at hand: what counts is what becomes of them under the other.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from harness import table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 60  # for each script
SCRIPTS = os.path.join(ROOT, "legacy_examples", "scripts")
# What rewrites a folder, and the exit codes that say that it did: 1 of ours, that comments were left.
TOOLS = {
    "tf_upgrade_v2": (
        [
            "-m",
            "tensorflow.tools.compatibility.tf_upgrade_v2_main",
            "--intree",
            SCRIPTS,
            "--outtree",
            "{}",
            "--copyotherfiles",
            "True",
            "--reportfile",
            os.devnull,
        ],
        (0,),
    ),
    "tf1grad upgrade": (["-m", "tf1grad", "upgrade", "--write", "--no-backup", "{}"], (0, 1)),
}


def rewrite(tool, folder):
    """Rewrites a copy of the scripts, in `folder`, with one of the tools."""
    if tool != "tf_upgrade_v2":  # which makes the copy itself
        shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    words, codes = TOOLS[tool]
    process = _python([word.replace("{}", folder) for word in words], ROOT, None)
    if process.returncode not in codes:
        sys.exit(f"{tool}: {process.stdout}")


def outcome(script, folder):
    """Runs a script in `folder` and returns what it did."""
    try:
        process = _python([script], folder, SECONDS)
    except subprocess.TimeoutExpired:
        return f"not over after {SECONDS} s"
    return "runs" if process.returncode == 0 else process.stdout.strip().split("\n")[-1][:60]


def _python(arguments, folder, seconds):
    environment = dict(os.environ, PYTHONPATH=ROOT, TF_CPP_MIN_LOG_LEVEL="3", MPLBACKEND="Agg")
    return subprocess.run(
        [sys.executable] + arguments,
        cwd=folder,
        env=environment,
        timeout=seconds,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def main():
    """Prints the table, and how many scripts run after each tool."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = sorted(map(os.path.basename, glob.glob(os.path.join(SCRIPTS, "*.py"))))
    parser.add_argument(
        "scripts", nargs="*", metavar="SCRIPT", default=names, help=f"of: {', '.join(names)}"
    )
    arguments = parser.parse_args()
    rows = [[name] for name in map(os.path.basename, arguments.scripts)]
    with tempfile.TemporaryDirectory() as place:
        for tool in TOOLS:
            folder = os.path.join(place, tool.replace(" ", "_"))
            rewrite(tool, folder)
            for row in rows:
                row.append(outcome(row[0], folder))
                print(f"{tool}, {row[0]}: {row[-1]}", file=sys.stderr)
    rows.append(
        ["runs"]
        + [
            f"{sum(row[column] == 'runs' for row in rows)} of {len(rows)}"
            for column in range(1, len(TOOLS) + 1)
        ]
    )
    print(table(["script"] + list(TOOLS), rows, markdown=True))


if __name__ == "__main__":
    main()
