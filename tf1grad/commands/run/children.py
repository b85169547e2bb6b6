"""Child processes: what `multiprocessing` and `subprocess` start with this Python finds TensorFlow 1 as well.

They are told through the environment: the folder `site`, with a sitecustomize, in PYTHONPATH, and the options.
"""

import json
import os
import sys

OPTIONS = "TF1GRAD_RUN"
SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")


def follow(options):
    """Lets the Python processes that this one starts from now on run under `options` too."""
    os.environ[OPTIONS] = json.dumps(dict(options, executable=sys.executable))
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [SITE, path]))


def join():
    """In a child: does what the environment says, unless another Python was started than that of the command."""
    options = json.loads(os.environ.get(OPTIONS, "{}"))
    if options.pop("executable", None) == sys.executable:
        from tf1grad.commands import run
        run.prepare(options)
