"""Tests that the troubleshooting page has the messages of others,
and that `run` is the remedy of old programs.
"""

import os
import re
import textwrap

import pytest

import message_cases
from paths import ROOT
from script_folder import ScriptFolder, run_python
from tf1grad._compat import VERSION

PAGE = os.path.join(ROOT, "docs", "troubleshooting.md")
# Calls each case in a process of its own where `sys.argv` asks for it, and prints how it ended.
RUNNER = """
import os, sys
in_forks = sys.argv[1:] == ["forks"]
for name in [name for name in globals() if name.startswith("case_")]:
    if in_forks and os.fork():
        os.wait()
        continue
    try:
        globals()[name]()
        print(name, "ended")
    except BaseException as error:
        print(name, type(error).__name__, " ".join(str(error).split()))
    sys.stdout.flush()
    if in_forks:
        os._exit(0)
"""


def _program(cases):
    return "".join(
        f"def case_{index}():\n{textwrap.indent(case, '    ')}\n"
        for index, case in enumerate(cases)
    )


def _has(text, message):
    parts = [part.strip() for part in message.lower().split("...") if part.strip()]
    return all(part in text.lower() for part in parts)


def test_each_message_has_a_heading():
    with open(PAGE, encoding="utf-8") as file:
        headings = " ".join(line for line in file if line.startswith("### "))
    for message in [*message_cases.OLD, *message_cases.FAULTS, *message_cases.OTHERS]:
        # Further names of one message stand in its heading without the words before them.
        name = re.sub(r"^.*? (?='[^']*'$)", "", message)
        assert _has(headings, message) or _has(headings, name), message


@pytest.mark.slow
@pytest.mark.skipif(VERSION < (2, 21), reason="the texts are those of TensorFlow 2.21")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each program has a process of its own")
def test_programs_end_with_the_messages_on_tensorflow_2(tmp_path):
    cases = {**message_cases.OLD, **message_cases.FAULTS}
    (tmp_path / "all.py").write_text(
        "import keras, numpy, tensorflow\n" + _program(cases.values()) + RUNNER
    )
    code, output, errors = run_python("all.py", "forks", cwd=str(tmp_path), TF_USE_LEGACY_KERAS="0")
    assert code == 0, errors
    printed = output.splitlines()
    assert [message for message, line in zip(cases, printed) if not _has(line, message)] == []
    assert len(printed) == len(cases)


@pytest.mark.slow
@pytest.mark.period
def test_run_is_the_remedy_of_old_programs(tmp_path):
    folder = ScriptFolder(tmp_path)
    folder.write("all.py", _program(message_cases.OLD.values()) + RUNNER)
    assert folder.lines("all.py") == [
        f"case_{index} ended" for index in range(len(message_cases.OLD))
    ]
