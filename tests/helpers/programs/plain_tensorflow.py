"""Runs converted models in a process with plain TensorFlow, which does not import tf1grad."""

import os
import pickle
import subprocess
import sys

from tf1grad.model import checking


class PlainTensorFlow:
    """Answers from one process with plain TensorFlow, which imports it once."""

    def __init__(self, folder):
        with open(checking.SCRIPT, encoding="utf-8") as file:
            loop = file.read().replace(
                "    main(*sys.argv[1:])",
                "    for line in sys.stdin:\n        "
                "main(*line.split())\n        print('answered', flush=True)",
            )
        self._files = [os.path.join(str(folder), name) for name in ("question", "answer")]
        self._process = subprocess.Popen(
            [sys.executable, "-c", loop],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=str(folder),
            universal_newlines=True,
        )

    def values(self, path, inputs, outputs=None, signature="serving_default", tags=("serve",)):
        """Returns the outputs of a SavedModel; of a frozen graph if `outputs` names tensors."""
        asked = [[], None, inputs, outputs] if outputs else [tags, signature, inputs, None]
        with open(self._files[0], "wb") as file:
            pickle.dump([asked], file)
        self._process.stdin.write(" ".join([str(path), *self._files]) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "answered\n"
        with open(self._files[1], "rb") as file:
            return pickle.load(file)[0]

    def close(self):
        """Ends the process."""
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
