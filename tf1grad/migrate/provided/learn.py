"""Provides names of `tf.contrib.learn` beside its estimators: words to numbers, and the names of modes."""

from __future__ import annotations

import collections
import pickle
import re
from typing import Any, Callable, Counter, Dict, Iterable, Iterator, List, Optional

import numpy as np

from tf1grad._compat import tf

__all__ = ["CategoricalVocabulary", "ModeKeys", "VocabularyProcessor", "tokenizer"]

Tokenizer = Callable[[Iterable[str]], Iterable[List[str]]]

WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+")


class ModeKeys:
    """The names of the modes of a model."""

    TRAIN, EVAL, INFER = "train", "eval", "infer"


def tokenizer(texts: Iterable[str]) -> Iterator[List[str]]:
    """Yields the list of words of each text."""
    return (WORD.findall(text) for text in texts)


class CategoricalVocabulary:
    """Numbers words in the order in which they come; 0 is the unknown word.

    From `tf.contrib.learn.preprocessing` of TensorFlow 1.15.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping: Dict[Any, int] = {unknown_token: 0}
        self._counts: Counter[Any] = collections.Counter()
        self._frozen = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Makes new words unknown from now on; with `freeze=False` they get numbers again."""
        self._frozen = freeze

    def get(self, category: Any) -> int:
        """Returns the number of a word; a new one for a new word, or 0 if the vocabulary is frozen."""
        if not self._frozen:
            self._mapping.setdefault(category, len(self._mapping))
        return self._mapping.get(category, 0)

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a word `count` times."""
        if self.get(category) > 0:
            self._counts[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps words that came more than `min_frequency` times, and less than `max_frequency` times unless that is -1.

        They are numbered again, from the most frequent on.
        """
        order = sorted(self._counts, key=lambda word: (isinstance(word, str), word))
        kept = [
            word
            for word in sorted(order, key=self._counts.__getitem__, reverse=True)
            if self._counts[word] > min_frequency and not 0 < max_frequency <= self._counts[word]
        ]
        self._mapping = {word: number for number, word in enumerate([self._unknown_token] + kept)}
        self._counts = collections.Counter({word: self._counts[word] for word in kept})

    def reverse(self, class_id: int) -> Any:
        """Returns the word with the number `class_id`; a ValueError without `support_reverse`."""
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary was made with support_reverse=False; make it without to look words up."
            )
        return list(self._mapping)[class_id]  # numbers are in the order of insertion


class VocabularyProcessor:
    """Turns texts into rows of `max_document_length` word numbers; longer texts are cut, shorter ones filled up with 0.

    Words that came `min_frequency` times or less are unknown. From `tf.contrib.learn.preprocessing` of TensorFlow 1.15.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: Optional[CategoricalVocabulary] = None,
        tokenizer_fn: Optional[Tokenizer] = None,
    ) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Takes the words of the texts into the vocabulary, and freezes it; returns itself."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Yields for each text an int64 array of shape [max_document_length]."""
        for words in self._tokenizer(raw_documents):
            numbers = [self.vocabulary_.get(word) for word in words[: self.max_document_length]]
            yield np.array(numbers + [0] * (self.max_document_length - len(numbers)), np.int64)

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """Calls `fit`, then `transform`."""
        return self.fit(raw_documents).transform(raw_documents)

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yields the text of each row of numbers."""
        for numbers in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in numbers)

    def save(self, filename: str) -> None:
        """Writes itself to a file."""
        with tf.gfile.Open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Returns the processor that `save` wrote to a file."""
        with tf.gfile.Open(filename, "rb") as file:
            processor: VocabularyProcessor = pickle.loads(file.read())
            return processor
