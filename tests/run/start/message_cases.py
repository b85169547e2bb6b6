"""Programs that end with the messages of docs/troubleshooting.md, those of TensorFlow,
Keras, NumPy and Python.

Each message has `...` for text that depends on the program.
"""

# Old programs, which `run` runs. On TensorFlow 2.21 each ends with the message.
OLD = {
    "module 'tensorflow' has no attribute 'Session'": "import tensorflow as tf\ntf.Session()",
    "module 'tensorflow' has no attribute 'contrib'": "import tensorflow as tf\ntf.contrib.layers",
    "No module named 'tensorflow.contrib'": "import tensorflow.contrib",
    "No module named 'tensorflow.examples'": "from tensorflow.examples.tutorials.mnist import input_data",
    "module 'tensorflow' has no attribute 'mul'": "import tensorflow as tf\ntf.mul(1, 2)",
    "module 'tensorflow' has no attribute 'initialize_all_variables'": (
        "import tensorflow as tf\ntf.initialize_all_variables()"
    ),
    "tf.placeholder() is not compatible with eager execution.": (
        "import tensorflow as tf\ntf.compat.v1.placeholder(tf.float32)"
    ),
    "tf.gradients is not supported when eager execution is enabled": (
        "import tensorflow as tf\nx = tf.Variable(1.0)\ntf.gradients(x * x, x)"
    ),
    "`loss` passed to Optimizer.compute_gradients should be a function": (
        "import tensorflow as tf\nx = tf.Variable(1.0)\n"
        "tf.compat.v1.train.AdamOptimizer().minimize(x * x)"
    ),
    "`dense` is not available with Keras 3": (
        "import tensorflow as tf\ntf.compat.v1.layers.dense(tf.compat.v1.zeros([1, 1]), 1)"
    ),
    "`LSTMCell` is not available with Keras 3": (
        "import tensorflow as tf\ntf.compat.v1.nn.rnn_cell.LSTMCell(2)"
    ),
    "No module named 'keras.engine'": "from keras.engine import Layer",
    "No module named 'keras.backend.tensorflow_backend'": "import keras.backend.tensorflow_backend",
    "cannot import name 'multi_gpu_model'": "from keras.utils import multi_gpu_model",
    "Argument(s) not recognized: {'lr': ...}": "import keras\nkeras.optimizers.Adam(lr=0.1)",
    "got an unexpected keyword argument 'nb_epoch'": (
        "import keras\nimport numpy as np\nmodel = keras.models.Sequential([keras.layers.Dense(1, input_shape=(1,))])\n"
        "model.compile('sgd', 'mse')\nmodel.fit(np.zeros([1, 1]), np.zeros([1, 1]), nb_epoch=1, verbose=0)"
    ),
    "got an unexpected keyword argument 'keep_prob'": (
        "import tensorflow as tf\ntf.nn.dropout(tf.zeros([2]), keep_prob=0.5)"
    ),
    "got an unexpected keyword argument 'keep_dims'": (
        "import tensorflow as tf\ntf.reduce_sum([1.0], keep_dims=True)"
    ),
    "module 'numpy' has no attribute 'float'": "import numpy as np\nnp.float",
    "Object arrays cannot be loaded when allow_pickle=False": (
        "import numpy as np\nnp.save('o.npy', np.array([1, None], object))\nnp.load('o.npy')"
    ),
    "setting an array element with a sequence. The requested array has an inhomogeneous shape": (
        "import numpy as np\nnp.array([[1, 2], [3]])"
    ),
    "cannot import name 'Mapping' from 'collections'": "from collections import Mapping",
    "module 'time' has no attribute 'clock'": "import time\ntime.clock()",
    "No module named 'imp'": "import imp",
}

_V1 = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"

# Faults of a program, which are the same under `run`.
FAULTS = {
    "The Session graph is empty. Add operations to the graph before calling run().": "tf.Session().run('x')",
    "Attempting to use uninitialized value ...": (
        "tf.disable_resource_variables()\nx = tf.Variable(1.0)\ntf.Session().run(x)"
    ),
    "Could not find variable .... This could mean that the variable has been deleted.": (
        "tf.enable_resource_variables()\nx = tf.get_variable('r', [1])\ntf.Session().run(x)"
    ),
    "You must feed a value for placeholder tensor ...": (
        "x = tf.placeholder(tf.float32, [None, 2])\ntf.Session().run(x + 1)"
    ),
    "Cannot feed value of shape (...) for Tensor ..., which has shape ...": (
        "x = tf.placeholder(tf.float32, [None, 2])\ntf.Session().run(x + 1, {x: [[1.0, 2, 3]]})"
    ),
    "... is not an element of this graph": (
        "session = tf.Session(graph=tf.Graph())\nx = tf.constant(1)\n"
        "with session.graph.as_default():\n    tf.constant(1)\nsession.run(x)"
    ),
    "... must be from the same graph as ...": (
        "x = tf.constant(1)\nwith tf.Graph().as_default():\n    tf.add(x, tf.constant(1)) and tf.add(x, x)"
    ),
    "Variable ... already exists, disallowed. Did you mean to set reuse=True ...": (
        "tf.get_variable('a', [1])\ntf.get_variable('a', [1])"
    ),
    "Variable ... does not exist, or was not created with tf.get_variable()": (
        "with tf.variable_scope('s', reuse=True):\n    tf.get_variable('a', [1])"
    ),
    "No gradients provided for any variable": (
        "x = tf.Variable(1.0)\ntf.train.AdamOptimizer().minimize(tf.constant(1.0))"
    ),
    "No variables to optimize": "tf.train.AdamOptimizer().minimize(tf.constant(1.0))",
    "Graph is finalized and cannot be modified.": "tf.get_default_graph().finalize()\ntf.constant(1)",
    "... refers to a Tensor which does not exist": (
        "tf.constant(1)\ntf.get_default_graph().get_tensor_by_name('x:0')"
    ),
    "Op type not registered '...' in binary running on ...": (
        "graph = tf.GraphDef()\nnode = graph.node.add()\nnode.name = node.op = 'Gone'\ntf.import_graph_def(graph)"
    ),
    "Key ... not found in checkpoint": (
        "x = tf.Variable(1.0)\nsession = tf.Session()\nsession.run(x.initializer)\n"
        "path = tf.train.Saver().save(session, './key')\ny = tf.Variable(1.0)\n"
        "tf.train.Saver([y]).restore(session, path)"
    ),
    "Assign requires shapes of both tensors to match": (
        "tf.disable_resource_variables()\nx = tf.Variable([1.0], name='x')\nsession = tf.Session()\n"
        "session.run(x.initializer)\npath = tf.train.Saver().save(session, './shape')\ntf.reset_default_graph()\n"
        "x = tf.Variable([1.0, 2.0], name='x')\ntf.train.Saver().restore(tf.Session(), path)"
    ),
    "The passed save_path is not a valid checkpoint: ...": (
        "x = tf.Variable(1.0)\ntf.train.Saver().restore(tf.Session(), './nothing.ckpt')"
    ),
    "Nan in summary histogram for: ...": (
        "tf.Session().run(tf.summary.histogram('h', tf.constant(float('nan'))))"
    ),
    "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.": "if tf.placeholder(tf.float32):\n    pass",
    "Cannot convert a symbolic tf.Tensor (...) to a numpy array": (
        "import numpy as np\nnp.array(tf.placeholder(tf.float32))"
    ),
    "object has no attribute 'numpy'": "tf.constant(1.0).numpy()",
    "No default session is registered.": "tf.constant(1.0).eval()",
    "Cannot assign a device for operation ...": (
        "with tf.device('/gpu:7'):\n    x = tf.constant(1.0)\ntf.Session().run(x)"
    ),
    "indices[0] = ... is not in [0, ...)": (
        "tf.Session().run(tf.nn.embedding_lookup(tf.zeros([2, 2]), [5]))"
    ),
    "The flag '...' is defined twice.": (
        "tf.app.flags.DEFINE_string('once', '', '')\ntf.app.flags.DEFINE_string('once', 'a', '')"
    ),
    "Unknown command line flag 'f'": (
        "import sys\nsys.argv = ['kernel', '-f', 'kernel.json']\ntf.app.flags.DEFINE_string('data', '', '')\n"
        "tf.app.flags.FLAGS.data"
    ),
}
FAULTS = {message: _V1 + program for message, program in FAULTS.items()}

# Messages that no program here can provoke: of pip, of another environment, of a GPU, of gigabytes,
# of a syntax error.
OTHERS = [
    "No matching distribution found for tensorflow==1.15",
    "Descriptors cannot be created directly.",
    "libtensorflow_framework.so.1: cannot open shared object file",
    "libcudart.so.10.0: cannot open shared object file",
    "A module that was compiled using NumPy 1.x cannot be run in NumPy 2",
    "`keras.optimizers.legacy` is not supported in Keras 3",
    "'str' object has no attribute 'decode'",
    "cannot import name 'imread' from 'scipy.misc'",
    "No module named 'sklearn.cross_validation'",
    "name 'xrange' is not defined",
    "'dict' object has no attribute 'iteritems'",
    "Missing parentheses in call to 'print'",
    "No module named 'cPickle'",
    "'ascii' codec can't decode byte ...",
    "Found Inf or NaN global norm.",
    "NaN loss during training.",
    "OOM when allocating tensor with shape[...]",
    "Dst tensor is not initialized.",
    "Cannot create a tensor proto whose content is larger than 2GB.",
]
