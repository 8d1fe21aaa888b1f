"""A model as a device that counts what it is asked."""

from aalpy.base import SUL


class LimitReached(Exception):
    """The run has cost too much; the message is its outcome."""


class Cache:
    """Words that were asked. A word that is known, or a prefix of one, costs nothing, any other its whole length."""

    def __init__(self):
        self._edges = {}
        self.resets = 0
        self.symbols = 0

    def ask(self, word):
        if self.add(word):
            self.resets += 1
            self.symbols += len(word)

    def add(self, word):
        """Takes a word that costs nothing; was it new?"""
        node, known = 0, len(self._edges)
        for input_ in word:
            node = self._edges.setdefault((node, input_), len(self._edges) + 1)
        return len(self._edges) > known


class Device(SUL):
    """What a learner of AALpy talks to."""

    def __init__(self, model):
        super().__init__()
        self._model = model
        self._state = model.initial
        self.cache = Cache()

    def query(self, word):
        self.cache.ask(word)
        return self._model.outputs(word)

    def adaptive_query(self, word, ads):
        """The word is known when it is over; each of its symbols was one at the device."""
        word, outputs = super().adaptive_query(word, ads)
        self.cache.ask(word)
        return word, outputs

    def pre(self):
        self._state = self._model.initial

    def post(self):
        pass

    def step(self, letter):
        output = self._model.output[self._state][letter]
        self._state = self._model.next[self._state][letter]
        return output
