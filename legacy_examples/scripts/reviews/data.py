"""Reads the reviews: a label and a sentence a line."""

import collections
import os

import numpy as np

DEFAULT_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'reviews.txt')


class Reviews(object):
    def __init__(self, path, length):
        with open(path) as lines:
            rows = [line.strip().split('\t') for line in lines]
        counts = collections.Counter(word for _, text in rows for word in text.split())
        self.vocabulary = ['<pad>'] + sorted(counts, key=lambda word: (-counts[word], word))
        index = {word: i for i, word in enumerate(self.vocabulary)}
        self.labels = np.array([int(label) for label, _ in rows], dtype=np.float32)
        self.words = np.zeros([len(rows), length], dtype=np.int32)
        for row, (_, text) in enumerate(rows):
            codes = [index[word] for word in text.split()][:length]
            self.words[row, :len(codes)] = codes

    def batches(self, size, random):
        while True:
            rows = random.permutation(len(self.labels))[:size]
            yield self.words[rows], self.labels[rows]
