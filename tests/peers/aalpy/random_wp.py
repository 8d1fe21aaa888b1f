"""Random Wp tests with the parameters of the published figures."""

from collections import deque

MIN_INFIX = 2
MEAN_INFIX = 10


class RandomWp:
    """Test words for one hypothesis: access sequence, random infix, and a suffix that tells states apart."""

    def __init__(self, hypothesis, inputs, random):
        self._inputs = inputs
        self._random = random
        self._access, self._states = _explore(hypothesis, inputs)
        self._separate = _Separating(self._states, inputs)
        self._global = self._separate.characterising_set()
        self._local = {}

    def word(self):
        random = self._random
        state = random.randrange(len(self._states))
        word = list(self._access[state])
        infix = 0
        while infix < MIN_INFIX or random.randrange(MEAN_INFIX + 1) > 0:
            input_ = random.choice(self._inputs)
            word.append(input_)
            state = self._states[state][input_][0]
            infix += 1
        suffixes = self._global if random.random() < 0.5 else self._identifiers(state)
        if suffixes:
            word.extend(random.choice(suffixes))
        return tuple(word)

    def _identifiers(self, state):
        if state not in self._local:
            self._local[state] = self._separate.identifiers(state, self._global)
        return self._local[state]


def _explore(hypothesis, inputs):
    """Access sequences, breadth first, and for each state by input the next state and the output."""
    numbers, access, queue = {hypothesis.initial_state: 0}, [()], deque([hypothesis.initial_state])
    order = []
    while queue:
        state = queue.popleft()
        order.append(state)
        for input_ in inputs:
            to = state.transitions[input_]
            if to not in numbers:
                numbers[to] = len(access)
                access.append(access[numbers[state]] + (input_,))
                queue.append(to)
    return access, [[(numbers[state.transitions[i]], state.output_fun[i]) for i in inputs] for state in order]


class _Separating:
    """Shortest words that tell states of a machine apart."""

    def __init__(self, states, inputs):
        self._states = states
        self._inputs = inputs
        # The classes of states that no word of length k tells apart, for k = 0, 1, …
        self._classes = [[0] * len(states)]
        while True:
            last, signatures = self._classes[-1], {}
            refined = [
                signatures.setdefault((last[at], *((last[to], out) for to, out in row)), len(signatures))
                for at, row in enumerate(states)
            ]
            if len(signatures) == len(set(last)):
                break
            self._classes.append(refined)

    def characterising_set(self):
        """Words that tell all states apart, where words can (hypotheses need not be minimal)."""
        words, groups = [], [list(range(len(self._states)))]
        while groups:
            group = groups.pop()
            other = next((at for at in group[1:] if self._apart(group[0], at)), None)
            if other is None:
                continue
            word = self._word(group[0], other)
            words.append(word)
            groups = [part for old in [*groups, group] for part in self._split(old, word)]
        return words

    def identifiers(self, state, words):
        """Those of the words that tell this state from all others."""
        others, chosen = [at for at in range(len(self._states)) if at != state], []
        for word in words:
            outputs = self._outputs(state, word)
            left = [at for at in others if self._outputs(at, word) == outputs]
            if len(left) < len(others):
                chosen.append(word)
                others = left
        return chosen

    def _apart(self, a, b):
        return self._classes[-1][a] != self._classes[-1][b]

    def _word(self, a, b):
        word = []
        length = next(k for k, classes in enumerate(self._classes) if classes[a] != classes[b])
        for k in range(length - 1, -1, -1):
            for input_ in self._inputs:
                (to_a, out_a), (to_b, out_b) = self._states[a][input_], self._states[b][input_]
                if out_a != out_b:
                    return (*word, input_)
                if self._classes[k][to_a] != self._classes[k][to_b]:
                    word.append(input_)
                    a, b = to_a, to_b
                    break
        raise AssertionError('states of different classes have a word that tells them apart')

    def _split(self, group, word):
        parts = {}
        for at in group:
            parts.setdefault(self._outputs(at, word), []).append(at)
        return parts.values()

    def _outputs(self, state, word):
        outputs = []
        for input_ in word:
            state, output = self._states[state][input_]
            outputs.append(output)
        return tuple(outputs)
