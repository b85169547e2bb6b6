"""Tests that user code gets from pandas what pandas 0.25.3 gave:
values recorded there, with one real process.
"""

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
    "pd.Series([0, 3, 0, 4]).nonzero()[0].tolist()": [1, 3],
    "pd.Index(['a', 'b']).get_values().tolist()": ["a", "b"],
    "[name for name, _ in frame.groupby(['user'])]": [1, 2, 3],
    "str(frame['name'].astype('category').cat.categories.tolist())": "['ann', 'bob', 'cy', 'dee']",
    "repr(pd.Categorical(['b', 'a']))": "[b, a]\nCategories (2, object): [a, b]",
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
    "frame.groupby('user').agg(np.max)": {
        "item": ["int64", [11, 12, 12]],
        "rating": ["float64", [4.5, 2.0, 5.0]],
        "day": ["object", ["2019-01-03", "2019-02-03", "2019-02-02"]],
        "name": ["object", ["bob", "dee", "cy"]],
    },
    "frame.groupby('user').agg(np.mean)": {
        "item": ["float64", [10.5, 11.0, 12.0]],
        "rating": ["float64", [3.75, 2.0, 5.0]],
    },
    "frame.mean()": ["float64", [1.8, 11.0, 3.625]],
    "frame.median()": ["float64", [2.0, 11.0, 3.75]],
    "frame.std()": ["float64", [0.8366600265340756, 1.0, 1.3768926368215255]],
    "frame.quantile(.5)": ["float64", [2.0, 11.0, 3.75]],
    "frame.corr()": {
        "user": ["float64", [1.0, 0.5976143046671968, 0.2844627935584563]],
        "item": ["float64", [0.5976143046671968, 1.0, 0.5373186100548618]],
        "rating": ["float64", [0.2844627935584563, 0.5373186100548618, 1.0]],
    },
    "frame.sum(numeric_only=True)": ["float64", [9.0, 55.0, 14.5]],
    "np.mean(frame[['user', 'item']])": ["float64", [1.8, 11.0]],
    "np.sum(frame[['user', 'item']])": ["int64", [9, 55]],
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
    "frame.drop('name', 1)": {
        "user": ["int64", [1, 1, 2, 3, 2]],
        "item": ["int64", [10, 11, 10, 12, 12]],
        "rating": ["float64", [4.5, 3.0, 2.0, 5.0, None]],
        "day": ["object", ["2019-01-02", "2019-01-03", "2019-02-01", "2019-02-02", "2019-02-03"]],
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
    "frame['day'].str.replace('-', '.')": [
        "object",
        ["2019.01.02", "2019.01.03", "2019.02.01", "2019.02.02", "2019.02.03"],
    ],
    "frame['name'].str.replace('.', 'x')": ["object", ["ann", "bob", "ann", "cy", "dee"]],
    "pd.Series([3, 3, 3, 5, 5, 7], name='a').value_counts().reset_index()": {
        "index": ["int64", [3, 5, 7]],
        "a": ["int64", [3, 2, 1]],
    },
    "days.dt.hour": ["int64", [0, 0, 0, 0, 0]],
    "days.dt.weekofyear": ["int64", [1, 1, 5, 5, 5]],
    "list(pd.DatetimeIndex(days).week)": [1, 1, 5, 5, 5],
    "frame[['user', 'item']].to_dict('record')[:2]": [
        {"user": 1, "item": 10},
        {"user": 1, "item": 11},
    ],
    "frame.to_csv(line_terminator=';')": ",user,item,rating,day,name;0,1,10,4.5,2019-01-02,ann;1,1,11,3.0,2019-01-03,bob;2,2,10,2.0,2019-02-01,ann;3,3,12,5.0,2019-02-02,cy;4,2,12,,2019-02-03,dee;",
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
    "frame.groupby('user').rating.agg({'m': 'mean', 'n': 'count'})": {
        "m": ["float64", [3.75, 2.0, 5.0]],
        "n": ["int64", [2, 1, 1]],
    },
    "frame.groupby('user').agg({'rating': {'m': 'mean'}})": {
        "('rating', 'm')": ["float64", [3.75, 2.0, 5.0]]
    },
    "frame.groupby('user').apply(lambda group: group)['item']": ["int64", [10, 11, 10, 12, 12]],
    "frame.groupby('user').apply(lambda group: group.fillna(0))['rating']": [
        "float64",
        [4.5, 3.0, 2.0, 5.0, 0.0],
    ],
    "frame.groupby('user').apply(lambda group: group.copy())['item']": [
        "int64",
        [10, 11, 10, 12, 12],
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
    "frame.rating.clip_lower(3)": ["float64", [4.5, 3.0, 3.0, 5.0, None]],
    "frame[['user', 'item']].clip_upper(2)": {
        "user": ["int64", [1, 1, 2, 2, 2]],
        "item": ["int64", [2, 2, 2, 2, 2]],
    },
    "frame.rating.mad()": 1.125,
    "frame[['user', 'rating']].mad()": ["float64", [0.64, 1.125]],
    "frame.lookup([0, 1], ['user', 'item']).tolist()": [1, 11],
    "[name for name, _ in frame.groupby(['user']).rating]": [1, 2, 3],
    "pd.concat([frame[['item']], frame[['user']][1:3]], axis=1, join_axes=[frame.index[1:4]])": {
        "item": ["int64", [11, 10, 12]],
        "user": ["float64", [1.0, 2.0, None]],
    },
    "days.dt.weekday_name[:2]": ["object", ["Wednesday", "Thursday"]],
    "pd.DatetimeIndex(days).weekday_name.tolist()[:2]": ["Wednesday", "Thursday"],
    "pd.datetime(2019, 1, 2).year + pd.np.ones(1).size": 2020,
    "pd.read_csv(io.StringIO('a\\n1\\n2'), squeeze=True)": ["int64", [1, 2]],
    "pd.read_csv(io.StringIO('a,b\\n1,2\\n1,2,3\\n'), error_bad_lines=False)": {
        "a": ["int64", [1]],
        "b": ["int64", [2]],
    },
    "pd.read_csv(io.StringIO('1,2\\n3,4'), header=None, prefix='c')": {
        "c0": ["int64", [1, 3]],
        "c1": ["int64", [2, 4]],
    },
}


def test_values_are_those_of_pandas_0_25(folder):
    lines = [f"print(repr(plain({expression})))\n" for expression in EXPECTED]
    folder.write("train.py", PROGRAM + "".join(lines))
    found = map(ast.literal_eval, folder.lines("train.py"))
    assert dict(zip(EXPECTED, found)) == EXPECTED
