"""Several parts change optimizer classes, those of the script included, and none takes that from another."""

PROGRAM = """
    import tensorflow.compat.v1 as tf
    from tf1grad.old_programs.emulation import training_options
    from tf1grad.old_programs.verify.training_ops import Watch
    tf.disable_v2_behavior()
    options = training_options.install(accumulate=2)
    watch = Watch()
    watch.start()

    class Mine(tf.train.Optimizer):
        def __init__(self):
            super(Mine, self).__init__(False, "Mine")

        def apply_gradients(self, grads_and_vars, global_step=None, name=None):
            return tf.group(*[tf.assign_sub(variable, gradient) for gradient, variable in grads_and_vars])

    x = tf.Variable(8.0)
    step = Mine().minimize(x * 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = []
        for _ in range(4):
            session.run(step)
            values.append(float(session.run(x)))
    print(values, len(watch.applied(tf.get_default_graph().get_operations())), options.report())
"""


def test_optimizers_of_the_script_accumulate_under_verify(run_forked):
    output = run_forked(PROGRAM)
    assert output.splitlines()[-1] == ("[8.0, 6.0, 6.0, 4.0] 2 "
                                       "['--accumulate 2: acted on 1 optimizer, 2 applied steps of 4 runs']")
