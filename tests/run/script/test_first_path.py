"""Tests what stands first and last on the path of a program."""

import sys

from tf1grad.run.script import script


def test_the_folder_of_the_script_is_first_and_tf1grad_stays_importable(monkeypatch):
    here = [path for path in sys.path if path not in ("", script.ROOT)]
    for before, after in (
        (["of the command", *here], ["of the script", *here, script.ROOT]),
        (["of the command", script.ROOT, *here], ["of the script", script.ROOT, *here]),
    ):
        monkeypatch.setattr(sys, "path", before)
        script.set_first_path("of the script")
        assert sys.path == after
