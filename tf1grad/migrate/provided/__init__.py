"""Names of TensorFlow 1 that are in no kept library, as old scripts use them: from their definition, for `run`."""
