"""What `tf1grad check` reports: one rule a line of the table, with an id that never changes."""

import collections

# severity: "error" (the program does not run), "warning" (it runs, and may do something else than it says), "note"
# (nothing is wrong; tf1grad has a call for it).
Rule = collections.namedtuple("Rule", "id name severity summary remedy")
# One report; `line` and `column` count from 1, columns in characters.
Finding = collections.namedtuple("Finding", "rule path line column message remedy")

SEVERITIES = ("error", "warning", "note")
ACCUMULATOR = "tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss)"

_TABLE = [
    Rule("TFG001", "unreadable", "error", "A file cannot be read as Python.", "Correct it, or leave it out."),
    Rule("TFG002", "python-2", "error", "A file is Python 2.",
         "`tf1grad upgrade` translates it with fissix; look at divisions of integers, which Python 3 does not round."),
    Rule("TFG101", "moved-name", "error", "A name is not where TensorFlow 1 had it; something provides it.", ""),
    Rule("TFG102", "gone-name", "error", "A name is gone from TensorFlow, and nothing provides it.", ""),
    Rule("TFG103", "plain-import", "error", "`import tensorflow` means TensorFlow 2 today.",
         "import tensorflow.compat.v1 as tf, and tf.disable_v2_behavior() in the program; `tf1grad upgrade` does it."),
    Rule("TFG104", "missing-name", "error", "A name is missing from the TensorFlow that is installed.", ""),
    Rule("TFG105", "private-name", "warning", "A private name of TensorFlow is used, which may move at any release.",
         "Use the public name, or `tf1grad run`."),
    Rule("TFG106", "version-test", "warning", "The version of TensorFlow is tested; what follows expects version 1.",
         "Keep the branch of version 1.15."),
    Rule("TFG107", "graph-seed", "note",
         "From tf.set_random_seed alone, TensorFlow 2 draws other numbers than TensorFlow 1.",
         "Give each random op and initializer its own seed=, or call tf1grad.migrate.seeds.install(\"tf1\")."),
    Rule("TFG108", "missing-switch", "error", "Nothing in the program switches TensorFlow 2 to graphs.",
         "Call tf.disable_v2_behavior() after the imports of the program that is started."),
    Rule("TFG201", "hand-accumulation", "note", "Gradients are accumulated by hand.", ACCUMULATOR + "."),
    Rule("TFG202", "fed-gradients", "note", "Averaged gradients are fed back.",
         "tf1grad.feed_gradients(grads_and_vars): fetches, averages and feeds them."),
    Rule("TFG203", "handle-cache", "note", "A batch is cached behind session handles.",
         "tf1grad.HandleBatchCache(batch), whose `advance(session)` releases them."),
    Rule("TFG204", "clipping", "note", "Gradients are clipped.",
         "tf1grad.clip_by_value, clip_by_norm or clip_by_global_norm(grads_and_vars, ...): pairs in, pairs out."),
    Rule("TFG205", "var-list", "note", "Variables are chosen by scope for training.",
         "var_list=tf1grad.trainable_in(scope); tf1grad.report(train_op, loss) says what is really frozen."),
    Rule("TFG206", "gate", "note", "A gate lets the gradient through or stops it; the optimizer still moves the rest.",
         "tf1grad.gate_gradient(x, do_gradient) takes any dtype and keeps infinities out; tf1grad.gate_variables also "
         "stops the optimizer."),
    Rule("TFG301", "fed-variable", "warning", "A variable is fed: on resource variables this is ignored, silently.",
         "Assign it, or use tf1grad.ScipyOptimizerInterface, which does."),
    Rule("TFG302", "fed-gradient-tensor", "warning",
         "A gradient tensor is fed: TensorFlow 2 may have rewritten the graph, and then ignores it silently.",
         "tf1grad.feed_gradients(grads_and_vars), which feeds placeholders."),
    Rule("TFG303", "prefix-scope", "warning",
         "A scope is matched as a prefix, or anywhere in the name, so it takes other scopes' variables too.",
         "tf1grad.trainable_in(scope), or end the scope with a slash."),
    Rule("TFG304", "ungated-apply", "warning",
         "Gradients of tf.gradients are applied while others are still computed from the same variables.",
         "optimizer.minimize or optimizer.compute_gradients, which wait; or tf.tuple(gradients) before applying."),
    Rule("TFG305", "fixed-divisor", "warning",
         "Accumulated gradients are divided by a fixed number: wrong for a short last window, and None raises.",
         ACCUMULATOR + " divides by what was accumulated."),
    Rule("TFG306", "saved-accumulator", "warning",
         "Accumulators are global variables: a Saver asks for them in checkpoints written before they were added.",
         "collections=[tf.GraphKeys.LOCAL_VARIABLES], or " + ACCUMULATOR + "."),
    Rule("TFG307", "initialized-value", "warning",
         "initialized_value() raises NotImplementedError for resource variables from TensorFlow 2.13 on.",
         "Use variable.initial_value, or zeros of the variable's shape."),
    Rule("TFG308", "swapped-pairs", "warning",
         "The pairs of compute_gradients are (gradient, variable); here they are taken the other way round.",
         "gradients, variables = zip(*grads_and_vars)."),
    Rule("TFG309", "none-gradient", "warning",
         "A gradient can be None, for a variable that the loss does not reach, and this raises then.",
         "tf1grad.map_gradients(fn, grads_and_vars), or tf1grad.drop_none(grads_and_vars) first."),
    Rule("TFG310", "unordered-run", "warning", "One session.run accumulates, applies or resets at once, in no order.",
         "A run each, or accumulator.after(...), which orders them."),
    Rule("TFG311", "leaked-handle", "warning", "Session handles are never deleted, so what they hold stays in memory.",
         "handle.delete(), or tf1grad.HandleBatchCache(batch)."),
    Rule("TFG312", "zero-gradient", "warning",
         "Gradients are set to zero to freeze variables: Adam, momentum and weight decay move them all the same.",
         "tf1grad.without(grads_and_vars, scope), which removes the pairs."),
    Rule("TFG313", "sparse-norm", "note",
         "Rows that an embedding repeats are counted wrong in the global norm of its sparse gradient.",
         "tf1grad.clip_by_global_norm(grads_and_vars, clip_norm), which sums them first."),
    Rule("TFG401", "moved-elsewhere", "error", "A name is gone from Python, NumPy, SciPy or matplotlib.", ""),
]

RULES = collections.OrderedDict((rule.id, rule) for rule in _TABLE)
