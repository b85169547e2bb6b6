"""tf.estimator: feature columns, a wide and deep classifier, train_and_evaluate with an exporter, predictions.

    python estimator_wide_and_deep.py
"""

from __future__ import print_function

import math
import shutil
import tempfile

import numpy as np
import tensorflow as tf

JOBS = ['clerk', 'farmer', 'nurse', 'sailor']


def people(seed, count):
    random = np.random.RandomState(seed)
    features = {
        'age': random.uniform(18, 80, count).astype(np.float32),
        'hours': random.uniform(5, 60, count).astype(np.float32),
        'job': random.choice(JOBS, count),
        'town': np.array(['town %d' % number for number in random.randint(50, size=count)]),
    }
    rich = features['age'] / 80 + features['hours'] / 60 + 0.3 * (features['job'] == 'nurse') > 1.1
    return features, rich.astype(np.int32)


def input_fn(seed, count=256, batch=32, epochs=1):
    return lambda: tf.data.Dataset.from_tensor_slices(people(seed, count)).repeat(epochs).batch(batch)


def columns():
    age = tf.feature_column.numeric_column('age', normalizer_fn=lambda value: value / 100)
    hours = tf.feature_column.numeric_column('hours')
    ages = tf.feature_column.bucketized_column(tf.feature_column.numeric_column('age'), [25, 35, 50, 65])
    job = tf.feature_column.categorical_column_with_vocabulary_list('job', JOBS)
    town = tf.feature_column.categorical_column_with_hash_bucket('town', 40)
    wide = [ages, job, tf.feature_column.crossed_column([ages, 'job'], 64)]
    deep = [age, hours, tf.feature_column.indicator_column(job), tf.feature_column.embedding_column(town, 6)]
    return wide, deep


class Report(tf.train.SessionRunHook):
    def begin(self):
        self.losses = tf.losses.get_losses()

    def after_create_session(self, session, coord):
        trainable = session.run(tf.trainable_variables())
        print('initial weights sum to %.15g' % math.fsum(np.concatenate([v.ravel() for v in trainable])))

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([tf.train.get_global_step(), self.losses[0]])

    def after_run(self, run_context, run_values):
        print('step %d, loss %.9g' % tuple(run_values.results))


def main(folder):
    wide, deep = columns()
    classifier = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide, linear_optimizer=tf.train.FtrlOptimizer(0.05),
        dnn_feature_columns=deep, dnn_optimizer=tf.train.AdamOptimizer(0.01), dnn_hidden_units=[12, 6],
        dnn_dropout=0.2, config=tf.estimator.RunConfig(folder, tf_random_seed=12))
    serving = tf.estimator.export.build_parsing_serving_input_receiver_fn(
        tf.feature_column.make_parse_example_spec(wide + deep))
    tf.estimator.train_and_evaluate(
        classifier,
        tf.estimator.TrainSpec(input_fn(1, epochs=2), max_steps=12, hooks=[Report()]),
        tf.estimator.EvalSpec(input_fn(2), steps=None, throttle_secs=0,
                              exporters=tf.estimator.LatestExporter('served', serving)))
    metrics = classifier.evaluate(input_fn(2))
    print('step %(global_step)d, evaluated: loss %(loss).9g, average %(average_loss).9g, mean %(prediction/mean).9g'
          % metrics)
    likely = [prediction['probabilities'][1] for prediction in classifier.predict(input_fn(2, count=8))]
    print('step 12, probabilities %s' % ' '.join('%.9g' % value for value in likely))
    print('exported %d model' % len(tf.gfile.Glob(folder + '/export/served/*/saved_model.pb')))


if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    model_dir = tempfile.mkdtemp()
    try:
        main(model_dir)
    finally:
        shutil.rmtree(model_dir)
