"""Tests that user code gets from pandas what pandas 0.25.3 gave: values recorded there, with one real process."""

import ast

import pytest

from tf1grad._compat import VERSION

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(VERSION < (2,), reason="beside TensorFlow 1, pandas is the installed one"),
]

PROGRAM = """
import io
import tensorflow as tf
import numpy as np
import pandas as pd

TEXT = '''user,item,rating,day,name
1,10,4.5,2019-01-02,ann
1,11,3.0,2019-01-03,bob
2,10,2.0,2019-02-01,ann
3,12,5.0,2019-02-02,cy
2,12,,2019-02-03,dee
'''
frame = pd.read_csv(io.StringIO(TEXT))
days = pd.to_datetime(frame['day'])

def plain(found):
    if isinstance(found, pd.DataFrame):
        return {str(name): plain(found[name]) for name in found}
    if isinstance(found, pd.Series):
        return [str(found.dtype), [None if each != each else each for each in found.tolist()]]
    return found

"""
# Expressions, and what they are with pandas 0.25.3.
EXPECTED = {
    "pd.Index(['a', 'b']).get_values().tolist()": ["a", "b"],
    "[name for name, _ in frame.groupby(['user'])]": [1, 2, 3],
    "list(pd.concat([frame[['user', 'item']], frame[['rating', 'user']]]))": [
        "item",
        "rating",
        "user",
    ],
    "frame.groupby('user').sum()": {
        "item": ["int64", [21, 22, 12]],
        "rating": ["float64", [7.5, 2.0, 5.0]],
    },
    "frame.groupby('user').mean()": {
        "item": ["float64", [10.5, 11.0, 12.0]],
        "rating": ["float64", [3.75, 2.0, 5.0]],
    },
    "frame.groupby('user')['name'].sum()": ["object", ["annbob", "anndee", "cy"]],
    "frame.mean()": ["float64", [1.8, 11.0, 3.625]],
    "frame.corr()": {
        "user": ["float64", [1.0, 0.5976143046671968, 0.2844627935584563]],
        "item": ["float64", [0.5976143046671968, 1.0, 0.5373186100548618]],
        "rating": ["float64", [0.2844627935584563, 0.5373186100548618, 1.0]],
    },
    "np.mean(frame[['user', 'item']])": ["float64", [1.8, 11.0]],
    "frame.set_index(days).resample('M').mean()": {
        "user": ["float64", [1.0, 2.3333333333333335]],
        "item": ["float64", [10.5, 11.333333333333334]],
        "rating": ["float64", [3.75, 3.5]],
    },
    "frame.rolling(2).mean()": {
        "user": ["float64", [None, 1.0, 1.5, 2.5, 2.5]],
        "item": ["float64", [None, 10.5, 10.5, 11.0, 12.0]],
        "rating": ["float64", [None, 3.75, 2.5, 3.5, None]],
    },
    "pd.get_dummies(frame['name'])": {
        "ann": ["uint8", [1, 0, 1, 0, 0]],
        "bob": ["uint8", [0, 1, 0, 0, 0]],
        "cy": ["uint8", [0, 0, 0, 1, 0]],
        "dee": ["uint8", [0, 0, 0, 0, 1]],
    },
    "frame.sort_values('rating', 0, False)": {
        "user": ["int64", [3, 1, 1, 2, 2]],
        "item": ["int64", [12, 10, 11, 10, 12]],
        "rating": ["float64", [5.0, 4.5, 3.0, 2.0, None]],
        "day": ["object", ["2019-02-02", "2019-01-02", "2019-01-03", "2019-02-01", "2019-02-03"]],
        "name": ["object", ["cy", "ann", "bob", "ann", "dee"]],
    },
    "frame.pivot('user', 'item', 'rating')": {
        "10": ["float64", [4.5, 2.0, None]],
        "11": ["float64", [3.0, None, None]],
        "12": ["float64", [None, None, 5.0]],
    },
    "frame['day'].str.split('-', 1, True)": {
        "0": ["object", ["2019", "2019", "2019", "2019", "2019"]],
        "1": ["object", ["01-02", "01-03", "02-01", "02-02", "02-03"]],
    },
    "frame['name'].str.replace('a.', 'x')": ["object", ["xn", "bob", "xn", "cy", "dee"]],
    "frame['name'].str.replace('.', 'x')": ["object", ["ann", "bob", "ann", "cy", "dee"]],
    "pd.Series([3, 3, 3, 5, 5, 7], name='a').value_counts().reset_index()": {
        "index": ["int64", [3, 5, 7]],
        "a": ["int64", [3, 2, 1]],
    },
    "frame.append({'user': 9, 'rating': 1.0}, ignore_index=True)": {
        "user": ["float64", [1.0, 1.0, 2.0, 3.0, 2.0, 9.0]],
        "item": ["float64", [10.0, 11.0, 10.0, 12.0, 12.0, None]],
        "rating": ["float64", [4.5, 3.0, 2.0, 5.0, None, 1.0]],
        "day": [
            "object",
            ["2019-01-02", "2019-01-03", "2019-02-01", "2019-02-02", "2019-02-03", None],
        ],
        "name": ["object", ["ann", "bob", "ann", "cy", "dee", None]],
    },
    "frame.groupby('user').apply(lambda group: group)['item']": ["int64", [10, 11, 10, 12, 12]],
    "frame.groupby('user').apply(lambda group: group.fillna(0))['rating']": [
        "float64",
        [4.5, 3.0, 2.0, 5.0, 0.0],
    ],
    "frame.groupby('user').apply(lambda group: group.rating - group.rating.mean())": [
        "float64",
        [0.75, -0.75, 0.0, None, 0.0],
    ],
    "frame.groupby('user').apply(lambda group: group.copy()).index.tolist()": [
        (1, 0),
        (1, 1),
        (2, 2),
        (2, 4),
        (3, 3),
    ],
    "frame.groupby('user').rating.apply(lambda ratings: ratings.fillna(0))": [
        "float64",
        [4.5, 3.0, 2.0, 5.0, 0.0],
    ],
    "frame[1:].rating.argmax()": 3,
    "int(np.argmin(frame[1:].rating))": 2,
    "frame.get_value(2, 'rating')": 2.0,
    "frame.copy().set_value(2, 'rating', 1.0)['rating']": ["float64", [4.5, 3.0, 1.0, 5.0, None]],
    "pd.datetime(2019, 1, 2).year + pd.np.ones(1).size": 2020,
    "pd.read_csv(io.StringIO('a\\n1\\n2'), squeeze=True)": ["int64", [1, 2]],
    "pd.read_csv(io.StringIO('a,b\\n1,2\\n1,2,3\\n'), error_bad_lines=False)": {
        "a": ["int64", [1]],
        "b": ["int64", [2]],
    },
}


def test_values_are_those_of_pandas_0_25(folder):
    lines = [f"print(repr(plain({expression})))\n" for expression in EXPECTED]
    folder.write("train.py", PROGRAM + "".join(lines))
    found = map(ast.literal_eval, folder.lines("train.py"))
    assert dict(zip(EXPECTED, found)) == EXPECTED
