"""Tests that a fetch that is ended leaves no helper running, and after the next run no folder."""

import os
import signal
import subprocess
import sys
import time

import pytest

import package_index
from script_folder import run_python
from tf1grad.programs._systems import supervised

POSIX = pytest.mark.skipif(os.name == "nt", reason="the signals are POSIX's, and so is ps")
SECONDS = 60
SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL"]


def wait_until(condition):
    """Waits until a function returns something true, and returns that."""
    end = time.time() + SECONDS
    while time.time() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    pytest.fail(f"it did not happen in {SECONDS} seconds")


def helpers(place):
    """Returns the commands of all processes that name a folder."""
    found = subprocess.run(
        ["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True, check=True
    )
    return [line for line in found.stdout.splitlines() if str(place) in line]


def end(process, name):
    """Sends a signal to a process alone, and waits for its end."""
    process.send_signal(getattr(signal, name))
    process.communicate()


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNALS)
def test_uv_ends_with_a_run_and_the_next_run_cleans_up(program, folder, index, layer, name):
    program({"train.py": "import plain\nprint(plain.version)\n", "requirements.txt": "plain\n"})
    index.faults["simple/plain"] = "hangs"
    process = folder.start("-m", "tf1grad", "run", "train.py", env={"UV_HTTP_TIMEOUT": "600"})
    wait_until(lambda: "simple/plain" in index.asked)
    assert helpers(layer)
    end(process, name)
    wait_until(lambda: not helpers(layer))
    index.faults.clear()
    assert folder.lines("train.py") == ["2.0"]
    assert sorted(each[:9] for each in os.listdir(str(layer))) == ["package-p", "packages-"]


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNALS)
def test_uv_ends_with_doctor_which_leaves_nothing(program, folder, index, layer, tmp_path, name):
    program({"train.py": "import plain\n", "requirements.txt": "plain\n"})
    index.faults["simple/plain"] = "hangs"
    environment = {"UV_HTTP_TIMEOUT": "600", "TMPDIR": str(tmp_path / "temporary")}
    os.mkdir(environment["TMPDIR"])
    process = folder.start("-m", "tf1grad", "doctor", ".", env=environment)
    wait_until(lambda: "simple/plain" in index.asked)
    end(process, name)
    wait_until(lambda: not any("uv" in each for each in helpers(layer)))
    index.faults.clear()
    folder.start("-m", "tf1grad", "doctor", ".", env=environment).communicate()
    assert os.listdir(environment["TMPDIR"]) == [] and os.listdir(str(layer)) == []


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNALS)
def test_pip_ends_with_the_fetch_of_the_layer(folder, tmp_path, layer, name):
    index = package_index.Index()
    with package_index.served(index):
        index.faults["simple/tensorflow"] = "hangs"
        environment = {
            "PIP_INDEX_URL": f"{index.url}/simple",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_FIND_LINKS": "",
            "PIP_EXTRA_INDEX_URL": "",
            "TF1GRAD_PERIOD": str(layer),
            "TF1GRAD_OFFLINE": "",
        }
        words = ("-m", "tf1grad", "period", "install")
        process = folder.start(*words, env=environment)
        wait_until(lambda: "simple/tensorflow" in index.asked)
        assert helpers(layer)
        end(process, name)
        wait_until(lambda: not helpers(layer))
        index.faults["simple/tensorflow"] = "404"
        folder.start(*words, env=environment).communicate()
    assert os.listdir(str(layer)) == []


@POSIX
def test_a_supervised_command_ends_with_its_process(tmp_path):
    code = f"""
import os, signal, sys
from tf1grad.programs._systems import supervised
command = [sys.executable, "-c", "import time; time.sleep(600)", {str(tmp_path)!r}]
with supervised(command, stdout=None, env=dict(os.environ), cwd=None):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert run_python("-c", code)[0] == -signal.SIGKILL
    wait_until(lambda: not helpers(tmp_path))


@POSIX
def test_what_a_supervised_command_started_ends_as_well(tmp_path):
    inner = f"import time; time.sleep(600)  # {tmp_path}"
    outer = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {inner!r}]).wait()"
    command = [sys.executable, "-c", outer]
    with supervised(command, stdout=subprocess.PIPE, env=dict(os.environ), cwd=None):
        wait_until(lambda: len(helpers(tmp_path)) == 3)
    wait_until(lambda: not helpers(tmp_path))


@POSIX
@pytest.mark.parametrize("command, code", [(["true"], 0), (["sh", "-c", "exit 7"], 7)])
def test_a_supervised_command_gives_its_exit_code(command, code):
    with supervised(command, stdout=subprocess.PIPE, env=dict(os.environ), cwd=None) as process:
        process.communicate()
    assert process.returncode == code


@POSIX
def test_a_block_that_fails_ends_the_command(tmp_path):
    command = [sys.executable, "-c", "import time; time.sleep(600)", str(tmp_path)]
    with pytest.raises(KeyError):
        with supervised(command, stdout=None, env=dict(os.environ), cwd=None):
            raise KeyError
    wait_until(lambda: not helpers(tmp_path))
