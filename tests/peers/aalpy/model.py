"""Models, as files and as devices."""

import re
from collections import deque

_INITIAL = re.compile(r'\s*"?__start0?"?\s*->\s*"?([^"\s;]+)"?')
_EDGE = re.compile(r'\s*"?([^"\s]+)"?\s*->\s*"?([^"\s\[]+)"?\s*\[.*?label\s*=\s*"(.*?)\s*/\s*(.*?)"')


class Model:
    """A complete Mealy machine: numbers for states and inputs in the order of its file, names for outputs."""

    def __init__(self, path):
        self.suite = path.resolve().parent.name
        self.name = path.name
        initial, edges = None, []
        for line in path.read_text().splitlines():
            if match := _INITIAL.match(line):
                initial = match[1]
            elif match := _EDGE.match(line):
                edges.append(match.groups())
        states = {name: at for at, name in enumerate(dict.fromkeys(edge[0] for edge in edges))}
        inputs = {name: at for at, name in enumerate(dict.fromkeys(edge[2] for edge in edges))}
        if initial not in states:
            raise SystemExit(f'{path}: no line "__start0 -> STATE;" with a state that has transitions')
        self.initial = states[initial]
        self.inputs = list(range(len(inputs)))
        self.input_names = list(inputs)
        self.next = [[None] * len(inputs) for _ in states]
        self.output = [[None] * len(inputs) for _ in states]
        for source, target, input_name, output in edges:
            at, input_ = states[source], inputs[input_name]
            if self.next[at][input_] is not None or target not in states:
                raise SystemExit(f'{path}: two transitions where there can be one, or one that leads nowhere: {source}')
            self.next[at][input_] = states[target]
            self.output[at][input_] = output
        if any(None in row for row in self.next):
            raise SystemExit(f'{path}: a state has no transition with some input')

    def transitions(self):
        return len(self.next) * len(self.inputs)

    def outputs(self, word):
        state, outputs = self.initial, []
        for input_ in word:
            outputs.append(self.output[state][input_])
            state = self.next[state][input_]
        return outputs

    def minimal_states(self):
        """How many states the minimal machine has."""
        return len(set(self.classes().values()))

    def classes(self):
        """The class of equivalent states of each reachable state, the initial state first: Moore's partition refinement."""
        reached = list(dict.fromkeys(self._reachable()))
        block, blocks = {state: 0 for state in reached}, 1
        while True:
            signatures = {}
            block = {
                state: signatures.setdefault(
                    (block[state], *self.output[state], *(block[to] for to in self.next[state])), len(signatures))
                for state in reached
            }
            if len(signatures) == blocks:
                return block
            blocks = len(signatures)

    def _reachable(self):
        seen, queue = {self.initial}, deque([self.initial])
        while queue:
            state = queue.popleft()
            yield state
            for to in self.next[state]:
                if to not in seen:
                    seen.add(to)
                    queue.append(to)

    def difference(self, hypothesis):
        """A shortest word that tells the hypothesis from the model, the first in the order of inputs; or None."""
        start = (self.initial, hypothesis.initial_state)
        came, queue = {(start[0], id(start[1])): ()}, deque([start])
        while queue:
            state, believed = queue.popleft()
            word = came[state, id(believed)]
            for input_ in self.inputs:
                if self.output[state][input_] != believed.output_fun[input_]:
                    return word + (input_,)
                pair = (self.next[state][input_], believed.transitions[input_])
                if (pair[0], id(pair[1])) not in came:
                    came[pair[0], id(pair[1])] = word + (input_,)
                    queue.append(pair)
        return None
