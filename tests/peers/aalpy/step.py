"""Steps through models that Mealybug wrote as DOT, in AALpy; and says what LearnLib's StepThrough is to compare.

step.py PROGRAM OUT MODEL...    PROGRAM is mealybug. For each model writes OUT/N.dot with it, and OUT/N.tsv with words: a
                                line each, of inputs and outputs in turn, as they are called in the DOT file. Fails if
                                AALpy says anything else.

To the models that are given it adds random ones with names that are hard to write, until there are 60.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

from aalpy.utils import load_automaton_from_file

MODELS = 60
WORDS = 20
LENGTH = 30
# Hard for one tool or the other, as JSON has them.
NAMES = [
    '', ' ', 'a', 'a b', ' a ', 'GET /index', '200 OK', 'a/b', '/', 'C:\\', '\\', 'OK\\r\\n', '"', 'say "x"', '{a}', '{"a": 1}', '->',
    's0 -> s1', '[label="x"]', ';', '//', '#', '%', '%2F', '50%', '12', '007', '-1', 'é', 'tab\there', 'line\nend', '__start0',
    'label', '<b>', '&amp;', '(silence)',
]


def main():
    program, out, *models = sys.argv[1:]
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    source = random.Random(21)
    for at in range(len(models), MODELS):
        path = out / f'random-{at}.dot'
        path.write_text(random_model(source))
        models.append(path)
    for at, model in enumerate(models):
        written = out / f'{at}.dot'
        show(program, model, 'dot', written)
        truth = json.loads(show(program, model, 'json'))
        words = [word(source, truth) for _ in range(WORDS)]
        lines = ['\t'.join(name for pair in word for name in pair) for word in words]
        (out / f'{at}.tsv').write_text('\n'.join(lines) + '\n')
        step_through(written, words, model)
    print(f'AALpy steps through {len(models)} models')


def show(program, model, form, out=None):
    command = [program, 'show', str(model), '--format', form] + (['--out', str(out)] if out else [])
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def random_model(source):
    """As DOT in its plainest form, with escapes for all that is not a letter."""
    states = source.randint(1, 8)
    inputs = source.sample(NAMES, source.randint(1, 6))
    outputs = source.sample(NAMES, source.randint(1, 6))

    def plain(name):
        # What Mealybug takes as an escape, and `\\\\` for a backslash.
        return ''.join(f'%{ord(c):02X}' if c in ' /"%{\n\t' else c.replace('\\', '\\\\') for c in name)

    lines = [
        f's{state} -> s{source.randrange(states)} [label="{plain(input_)} / {plain(source.choice(outputs))}"];'
        for state in range(states) for input_ in inputs
    ]
    return 'digraph { __start0 -> s0;\n' + '\n'.join(lines) + '\n}\n'


def word(source, truth):
    """A random word with its outputs, by the model in JSON."""
    table = {(t['from'], t['input']): t for t in truth['transitions']}
    state, pairs = truth['initial'], []
    for _ in range(LENGTH):
        transition = table[state, source.choice(truth['inputs'])]
        pairs.append((input_name(transition['input']), output_name(transition['output'])))
        state = transition['to']
    return pairs


def escaped(name):
    """What docs/results.md says of symbols."""
    outer = len(name) - len(name.lstrip(' ')), len(name.rstrip(' '))
    escapes = ' /"%{\\'

    def written(at, c):
        reads_as_escape = c == '%' and len(name) > at + 2 and all(
            digit in '0123456789ABCDEF' for digit in name[at + 1:at + 3]) and (
            (code := int(name[at + 1:at + 3], 16)) < 32 or code == 127 or chr(code) in escapes)
        if c in '/"' or ord(c) < 32 or c == '\x7f' or reads_as_escape or (c == ' ' and not outer[0] <= at < outer[1]):
            return f'%{ord(c):02X}'
        return c

    return ''.join(written(at, c) for at, c in enumerate(name))


def input_name(name):
    return '%7B' + escaped(name[1:]) if name.startswith('{') else escaped(name)


def output_name(name):
    return escaped(name[:-1]) + '%5C' if name.endswith('\\') else escaped(name)


def step_through(path, words, model):
    machine = load_automaton_from_file(path, 'mealy')

    def own(name):
        """What AALpy makes of a name."""
        return int(name) if name.isdigit() else name.replace('\\', '\\\\')

    for word in words:
        machine.reset_to_initial()
        for input_, output in word:
            got = machine.step(own(input_))
            if got != own(output or ' '):
                raise SystemExit(f'{model}: AALpy says {got!r} to {input_!r}, which is {output!r}')


main()
