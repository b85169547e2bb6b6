"""Prints what a program can notice of TensorFlow's public classes,
functions and of common objects, as JSON.

    python tests/helpers/programs/public_api.py --record    # with TensorFlow 1.15

`public_types.json` has the names of the classes, the expressions, and what TensorFlow 1.15.5
answers. An error is recorded by its class: the words of the installed TensorFlow, NumPy and Python
are their own. `public_signatures.json` has signatures, which libraries compare, such as TensorFlow
Probability those of its NumPy functions with TensorFlow's.
"""

import collections.abc
import copy
import inspect
import json
import pickle
import re
import sys
import warnings

import numpy as np

import records


def _text(value):
    if isinstance(value, (bool, int)):
        return value
    text = re.sub(r" ?(at )?0x[0-9a-f]{6,}>?", "", value if isinstance(value, str) else repr(value))
    return re.sub(r"_\d+\b", "_N", text)[:300]  # names count what was made before


def _outcome(function, *arguments):
    try:
        return _text(function(*arguments))
    except Exception as error:
        return type(error).__name__


def of_class(cls, classes):
    """Returns what a program can notice of a class and of an object that
    is made without arguments.
    """
    found = {
        "name": cls.__name__,
        "bases": sorted(
            name
            for name, other in classes.items()
            if other is not cls and _outcome(issubclass, cls, other) is True
        ),
    }
    try:
        value = cls()
    except Exception as error:
        return dict(found, made=type(error).__name__)
    questions = {"made": lambda: value, "equal": lambda: value == cls()}
    return dict(found, **{name: _outcome(question) for name, question in questions.items()})


def _helpers(tf):
    def if_(value):
        if value:
            return 1

    def for_(value):
        for each in value:
            return each

    def other_graph(session):
        with tf.Graph().as_default():
            constant = tf.constant(1)
        return session.run(constant)

    return {
        "tf": tf,
        "np": np,
        "collections": collections,
        "copy": copy,
        "json": json,
        "pickle": pickle,
        "if_": if_,
        "for_": for_,
        "other_graph": other_graph,
    }


def _of_expression(code, names):
    try:
        compiled = compile(code, "expression", "eval")
    except SyntaxError:
        return _outcome(exec, code, names)
    return _outcome(eval, compiled, names)


def _value_of(tf, name):
    value = tf
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def answers(tf, questions):
    """Returns the answers for the class names and expressions of a recording."""
    classes = {
        name: _value_of(tf, name)
        for name in questions["classes"]
        if inspect.isclass(_value_of(tf, name))
    }
    of_classes = {}
    for name, cls in classes.items():
        tf.reset_default_graph()
        of_classes[name] = of_class(cls, classes)
    of_expressions = {}
    for group, expressions in questions["expressions"].items():
        tf.reset_default_graph()
        names = _helpers(tf)
        exec("\n".join(questions["objects"]), names)
        of_expressions[group] = {code: _of_expression(code, names) for code in expressions}
    return {"objects": questions["objects"], "classes": of_classes, "expressions": of_expressions}


def by_name(signatures):
    """Returns {name: signature} for {signature: names}."""
    return {name: signature for signature, names in signatures.items() for name in names.split()}


def _signature(value):
    from tensorflow.python.util import tf_inspect  # it looks behind TensorFlow's decorators

    try:
        spec = tf_inspect.getfullargspec(value)
    except TypeError:
        return "gone"
    text = repr(tuple(spec[:6]) + (sorted(spec.annotations),))
    return re.sub(
        r"<(?:function|class|built-in function) ?'?([\w.]*)[^>]*>| at 0x[0-9a-f]+",
        lambda match: (match.group(1) or "").rpartition(".")[2],
        text,
    )


def signatures(tf, names):
    """Returns {signature: "tf.add tf.compat.v2.add ..."} of functions by their full names."""
    found = {}
    for name in names:
        found.setdefault(_signature(_value_of(tf, name.partition(".")[2])), []).append(name)
    return {signature: " ".join(listed) for signature, listed in sorted(found.items())}


def main():
    """Prints or records what is found, by the names of the records."""
    warnings.simplefilter("ignore")
    import tensorflow as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    found = {
        "public_types": answers(tf, records.read("public_types")),
        "public_signatures": signatures(tf, by_name(records.read("public_signatures"))),
    }
    if sys.argv[1:] == ["--record"]:
        for name, value in found.items():
            records.write(name, value)
    else:
        print("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
