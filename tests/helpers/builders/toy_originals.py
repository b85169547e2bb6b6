"""Writes a package `contrib.toy` in the manner of TensorFlow 1.15's files,
for tests that do not need the real ones.
"""

import os
import textwrap

from tf1grad.programs.period import manifest
from tf1grad.programs.period.folder import NAME

FILES = {
    "contrib/__init__.py": "raise AssertionError('the packages of contrib are loaded one by one')\n",
    "contrib/toy/__init__.py": """
        '''A toy.

        @@double
        '''
        from __future__ import absolute_import
        from tensorflow.contrib.toy.python.ops.toy_ops import *
        from tensorflow.python.util import nest
        from tensorflow.python.util.all_util import remove_undocumented
        remove_undocumented(__name__, ['Double'])
        remove_undocumented(nest.__name__)
        """,
    "contrib/toy/python/__init__.py": "",
    "contrib/toy/python/ops/__init__.py": "",
    "contrib/toy/python/ops/toy_ops.py": """
        import collections
        import numpy as np, tensorflow.python.ops.array_ops
        import tensorflow as tf
        from . import others
        from tensorflow.contrib.toy.ops import gen_toy_ops
        from tensorflow.python.framework import load_library
        from tensorflow.python.framework import ops
        from tensorflow.python.gone import lost, Lost
        from tensorflow.python.ops import variable_scope
        _library = load_library.load_op_library('_toy.so')

        @ops.RegisterGradient('Square')
        def _gradient(op, gradient):
            raise AssertionError('TensorFlow has one')

        @lost.decorated
        def decorated():
            pass

        class Double(Lost):
            pass

        def double(x):
            return gen_toy_ops.add_v2(x, y=x) + others.zero()

        def grown(x):
            return gen_toy_ops.grow_toy(x)

        def counter():
            return variable_scope.variable(0.0, trainable=False, name='counter')
        """,
    "contrib/toy/python/ops/others.py": "def zero():\n    return 0.0\n",
    "contrib/toy/python/ops/broken.py": "import tensorflow as tf\ntf.no_such_name\n",
    "contrib/partial/__init__.py": "from tensorflow.contrib.toy.python.ops.broken import *\n",
    "contrib/tensorrt/__init__.py": "import tensorflow as tf\ntf.no_such_name\n",
    "contrib/toy/ops/__init__.py": "",
    "contrib/toy/ops/gen_toy_ops.py": """
        from tensorflow.python.framework import dtypes as _dtypes

        def add_v2(x, y, name=None):
            '''Adds.'''
            _, _, _op = _op_def_lib._apply_op_helper('AddV2', x=x, y=y, name=name)

        def grow_toy(x, dtype=_dtypes.float32, name=None):
            '''Grows.'''
            _, _, _op = _op_def_lib._apply_op_helper('GrowToy', x=x, dtype=dtype, name=name)

        _op_def_lib = _InitOpDefLibrary(b'')
        """,
}


def write(folder):
    """Writes them below `folder`, which is then what `TF1GRAD_PERIOD` may name;
    returns it as a string.
    """
    for name, text in FILES.items():
        path = os.path.join(str(folder), NAME, "tensorflow_core", *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
    manifest.write(os.path.join(str(folder), NAME))
    return str(folder)
