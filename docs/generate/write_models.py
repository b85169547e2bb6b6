"""Writes models with TensorFlow 1.15, each in all formats that it can have,
with inputs and the values of its outputs.

    python docs/generate/write_models.py FOLDER [--sources SOURCES] [MODEL ...]

SOURCES holds clones of public programs: google-research/bert as `bert`, tensorflow/nmt as `nmt`,
YunYang1994/tensorflow-yolov3 as `tensorflow-yolov3`. A model whose program or library is missing is
left out.
"""

import argparse
import json
import os
import pickle
import sys
import types

import numpy as np
import tensorflow as tf

ROWS = np.random.RandomState(0).rand(2, 7, 5).astype("f")
SOURCES = "."


class Model:
    """Holds a built model: tensors of its inputs and outputs by name,
    the values that are fed, the files to save.
    """

    def __init__(self, fed, outputs, graph=None):
        self.inputs = {name: tensor for name, (tensor, _) in fed.items()}
        self.values = {name: value for name, (_, value) in fed.items()}
        self.outputs, self.graph = outputs, graph or tf.get_default_graph()


def _of_rows(build):
    def model():
        x = tf.placeholder(tf.float32, [None, 7, 5], name="x")
        return Model({"x": (x, ROWS)}, {"y": tf.identity(build(x), name="y")})

    return model


def _beam_search(x):
    from tensorflow.contrib import rnn, seq2seq

    embedding, batch = tf.get_variable("embedding", [11, 5]), tf.shape(x)[0]
    _, state = tf.nn.dynamic_rnn(rnn.BasicLSTMCell(8), x, dtype=tf.float32)
    decoder = seq2seq.BeamSearchDecoder(
        rnn.BasicLSTMCell(8, name="decoder"),
        embedding,
        tf.fill([batch], 1),
        2,
        seq2seq.tile_batch(state, 3),
        3,
        output_layer=tf.layers.Dense(11),
    )
    return seq2seq.dynamic_decode(decoder, maximum_iterations=6)[0].predicted_ids


def _convolutions(x):
    hidden = tf.layers.conv2d(tf.expand_dims(x, -1), 4, 3, activation=tf.nn.relu)
    hidden = tf.layers.batch_normalization(hidden, training=True)
    return tf.layers.dense(tf.layers.flatten(hidden), 3)


def _table(x):
    words = tf.contrib.lookup.index_table_from_tensor(tf.constant(["0", "1", "2"]))
    return tf.cast(words.lookup(tf.as_string(tf.cast(3 * x[:, :, 0], tf.int32))), tf.float32)


def _loops(x):
    def row(values):
        return tf.while_loop(
            lambda i, _: i < 3,
            lambda i, sums: (i + 1, sums * 1.5 + tf.reduce_sum(values)),
            [0, values],
        )[1]

    return tf.map_fn(row, x)


def _control_flow_v2(x):
    tf.enable_control_flow_v2()
    try:
        return tf.cond(tf.reduce_sum(x) > 0, lambda: _loops(x), lambda: x)
    finally:
        tf.disable_control_flow_v2()


def _quantized(x):
    weights = tf.get_variable("w", [5, 6])
    output = tf.nn.relu6(tf.tensordot(x, weights, 1))
    tf.contrib.quantize.create_training_graph()
    return output


def _half_precision(x):
    hidden = tf.cast(x, tf.float16)
    for number in range(3):
        hidden = tf.nn.relu(tf.layers.conv1d(hidden, 32, 3, padding="same", name=str(number)))
    return tf.layers.dense(hidden, 4)


def _partitioned(x):
    weights = tf.get_variable("w", [5, 6], partitioner=tf.fixed_size_partitioner(2))
    return tf.tensordot(x, tf.convert_to_tensor(weights), 1)


def _slim(name, size):
    def model():
        from tensorflow.contrib.slim import nets

        module, _, function = name.partition(".")
        x = tf.placeholder(tf.float32, [None, size, size, 3], name="images")
        logits, _ = getattr(getattr(nets, module), function)(x, 10, is_training=False)
        return Model(
            {"images": (x, np.random.RandomState(0).rand(1, size, size, 3).astype("f"))},
            {"logits": tf.identity(logits, name="logits")},
        )

    return model


def _bert():
    sys.path.insert(0, os.path.join(SOURCES, "bert"))
    import modeling

    config = modeling.BertConfig(
        vocab_size=99,
        hidden_size=64,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=32,
    )
    random = np.random.RandomState(0)
    values = {
        "ids": random.randint(0, 99, [2, 16]),
        "mask": random.randint(0, 2, [2, 16]),
        "types": random.randint(0, 2, [2, 16]),
    }
    fed = {
        name: (tf.placeholder(tf.int32, [None, 16], name=name), value)
        for name, value in values.items()
    }
    bert = modeling.BertModel(config, False, *[tensor for tensor, _ in fed.values()])
    return Model(fed, {"pooled": bert.get_pooled_output(), "sequence": bert.get_sequence_output()})


def _nmt():
    sys.path.insert(0, os.path.join(SOURCES, "nmt"))
    from nmt import attention_model, model_helper
    from nmt.utils import common_test_utils

    data = os.path.join(SOURCES, "nmt", "nmt", "testdata", "test_infer_vocab.")
    hparams = common_test_utils.create_test_hparams(
        unit_type="lstm",
        encoder_type="bi",
        num_layers=2,
        attention="scaled_luong",
        attention_architecture="standard",
        beam_width=4,
        use_residual=False,
        inference_indices=None,
    )
    for name, value in (
        ("src_vocab_file", data + "src"),
        ("tgt_vocab_file", data + "tgt"),
        ("src_max_len_infer", 8),
        ("tgt_max_len_infer", 12),
    ):
        setattr(hparams, name, value)
    made = model_helper.create_infer_model(attention_model.AttentionModel, hparams)
    ids = np.random.RandomState(0).randint(0, 5, [3, 6])
    return Model(
        {
            "source": (made.iterator.source, ids),
            "length": (made.iterator.source_sequence_length, [6, 4, 5]),
        },
        {"ids": made.model.sample_id},
        made.graph,
    )


def _yolo():
    folder = os.path.join(SOURCES, "tensorflow-yolov3")
    sys.path.insert(0, folder)
    os.chdir(folder)
    sys.modules.setdefault("cv2", types.ModuleType("cv2"))  # it draws pictures
    from core.yolov3 import YOLOV3

    x = tf.placeholder(tf.float32, [None, 64, 64, 3], name="images")
    net = YOLOV3(x, tf.constant(False))
    return Model(
        {"images": (x, np.random.RandomState(0).rand(1, 64, 64, 3).astype("f"))},
        {"small": net.pred_sbbox, "middle": net.pred_mbbox, "large": net.pred_lbbox},
    )


MODELS = {
    "LSTMBlockCell": _of_rows(
        lambda x: tf.nn.dynamic_rnn(tf.contrib.rnn.LSTMBlockCell(8), x, dtype=tf.float32)[0]
    ),
    "LSTMBlockFusedCell": _of_rows(
        lambda x: tf.contrib.rnn.LSTMBlockFusedCell(8)(
            tf.transpose(x, [1, 0, 2]), dtype=tf.float32
        )[0]
    ),
    "GRUBlockCellV2": _of_rows(
        lambda x: tf.nn.dynamic_rnn(tf.contrib.rnn.GRUBlockCellV2(8), x, dtype=tf.float32)[0]
    ),
    "beam search (GatherTree)": _of_rows(_beam_search),
    "resampler": _of_rows(
        lambda x: tf.contrib.resampler.resampler(
            tf.expand_dims(x, -1), tf.fill([tf.shape(x)[0], 4, 2], 1.3)
        )
    ),
    "convolutions, batch normalization": _of_rows(_convolutions),
    "lookup table": _of_rows(_table),
    "map_fn with a loop": _of_rows(_loops),
    "control flow of version 2": _of_rows(_control_flow_v2),
    "quantization": _of_rows(_quantized),
    "half precision": _of_rows(_half_precision),
    "partitioned variable": _of_rows(_partitioned),
    "slim Inception v3": _slim("inception.inception_v3", 299),
    "slim ResNet v2 50": _slim("resnet_v2.resnet_v2_50", 96),
    "BERT (small)": _bert,
    "nmt: attention, beam search": _nmt,
    "YOLO v3": _yolo,
}


def write(build, folder):
    """Writes a checkpoint with its meta graph, a SavedModel, a frozen graph, and the values."""
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        model = build()
    with model.graph.as_default(), tf.Session(
        config=tf.ConfigProto(allow_soft_placement=True)
    ) as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        values = session.run(
            model.outputs, {tensor: model.values[name] for name, tensor in model.inputs.items()}
        )
        names = {
            kind: {name: tensor.name for name, tensor in tensors.items()}
            for kind, tensors in (("inputs", model.inputs), ("outputs", model.outputs))
        }
        os.makedirs(folder)
        if tf.global_variables():
            tf.train.Saver().save(session, os.path.join(folder, "model.ckpt"))
        tf.saved_model.simple_save(
            session,
            os.path.join(folder, "saved"),
            model.inputs,
            model.outputs,
            legacy_init_op=tf.tables_initializer(),
        )
        frozen = tf.graph_util.convert_variables_to_constants(
            session,
            model.graph.as_graph_def(add_shapes=True),
            [each.op.name for each in model.outputs.values()],
        )
    # A frozen graph would not fill the tables.
    if not model.graph.get_collection(tf.GraphKeys.TABLE_INITIALIZERS):
        with open(os.path.join(folder, "frozen.pb"), "wb") as file:
            file.write(frozen.SerializeToString())
    _write_values(folder, model.values, values, names)


def _write_values(folder, inputs, outputs, names=None):
    with open(os.path.join(folder, "values"), "wb") as file:
        pickle.dump((inputs, outputs), file, protocol=2)
    with open(os.path.join(folder, "names.json"), "w") as file:
        json.dump(names or {}, file)


# Formats of other libraries -----------------------------------------------------------------------


def _as_hdf5(model, folder):
    model.save(os.path.join(folder, "model.h5"))


def _as_objects(model, folder):
    model.save(os.path.join(folder, "saved"), save_format="tf")


def _exported(model, folder):
    tf.keras.experimental.export_saved_model(model, os.path.join(folder, "saved"))


def _keras(keras, save=_as_hdf5):
    def write_file(folder):
        with tf.Graph().as_default(), tf.Session() as session:
            keras.backend.set_session(session)
            tf.set_random_seed(3)
            layers = keras.layers
            model = keras.models.Sequential(
                [
                    layers.Conv1D(6, 3, activation="relu", input_shape=(7, 5)),
                    layers.BatchNormalization(),
                    layers.Bidirectional(layers.LSTM(4, return_sequences=True)),
                    layers.GRU(3),
                    layers.Dense(2),
                ]
            )
            os.makedirs(folder)
            save(model, folder)
            _write_values(
                folder, {model.input_names[0]: ROWS}, {model.output_names[0]: model.predict(ROWS)}
            )

    return write_file


def _hub(folder):
    import tensorflow_hub as hub

    def module():
        x = tf.placeholder(tf.float32, [None, 7, 5])
        hub.add_signature(inputs=x, outputs=tf.layers.dense(_beam_scores(x), 3))

    os.makedirs(folder)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        made = hub.Module(hub.create_module_spec(module))
        x = tf.placeholder(tf.float32, [None, 7, 5])
        y = made(x)
        session.run(tf.global_variables_initializer())
        made.export(os.path.join(folder, "module"), session)
        _write_values(folder, {"default": ROWS}, {"default": session.run(y, {x: ROWS})})


def _beam_scores(x):
    return tf.contrib.resampler.resampler(
        tf.layers.dense(tf.expand_dims(x, -1), 4), tf.fill([tf.shape(x)[0], 2], 1.3)
    )


def others():
    """Returns functions that write models to a folder, by name:
    of the libraries that are installed.
    """
    found = {
        "tf.keras": _keras(tf.keras),
        "tf.keras, save_format tf": _keras(tf.keras, _as_objects),
        "tf.keras, export_saved_model": _keras(tf.keras, _exported),
    }
    try:
        import keras

        found["Keras " + keras.__version__] = _keras(keras)
    except ImportError:
        pass
    try:
        import tensorflow_hub  # noqa: F401

        found["TF-Hub module of version 1"] = _hub
    except ImportError:
        pass
    return found


def main():
    """Writes the models."""
    global SOURCES
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help="the start of a name (default: all)"
    )
    parser.add_argument("--sources", default=".")
    arguments = parser.parse_args()
    SOURCES, folder = os.path.abspath(arguments.sources), os.path.abspath(arguments.folder)
    writers = {
        name: lambda folder, build=build: write(build, folder) for name, build in MODELS.items()
    }
    writers.update(others())
    for name, write_model in sorted(writers.items()):
        path = os.path.join(folder, name.replace(" ", "_"))
        if name.startswith(tuple(arguments.models or [""])) and not os.path.exists(path):
            try:
                write_model(path)
                print(f"{name}: written")
            except ImportError as error:
                print(f"{name}: left out: {error}")


if __name__ == "__main__":
    main()
