"""Learns models with the learners of AALpy, and writes a row for each run to a file."""

import argparse
import csv
import functools
import random
import signal
import sys
import time
from pathlib import Path

from aalpy.base import Oracle
from aalpy.learning_algs import run_KV, run_Lsharp, run_Lstar, run_adaptive_Lsharp
from aalpy.learning_algs.deterministic.ObservationTree import MealyNode

from device import Cache, Device, LimitReached
from model import Model
from random_wp import RandomWp
from reference import reference

HEADER = (
    'Suite,Model,Algorithm,Tests,Seed,Stages,States,Short rows,Inconsistent count,Zero outputs count,'
    'Two outputs count,Learning queries,Learning symbols,Testing queries,Testing symbols,Last learning symbols,'
    'Last testing symbols,Seconds,Memory bytes,Outcome,Found states'
).split(',')
KEY = HEADER[:5]
# One more column in the rows of pairs: the old model that the learner was given.
REFERENCE = 'Reference'

# With AALpy's own defaults, but for its cache: the device has one.
LEARNERS = {
    'aalpy-lstar': run_Lstar,
    'aalpy-kv': run_KV,
    'aalpy-lsharp': run_Lsharp,
}
# These are given an old model of the device. The second has the rules of AALpy's L#, not its own defaults.
ADAPTIVE = {
    'aalpy-adaptive-lsharp': run_adaptive_Lsharp,
    'aalpy-adaptive-lsharp-ads': functools.partial(
        run_adaptive_Lsharp, extension_rule='SepSeq', separation_rule='ADS'),
}
PAIRED = ['aalpy-lsharp', *ADAPTIVE]


class Tests(Oracle):
    """Compares a hypothesis with the model; if they differ, looks for a counterexample by tests."""

    def __init__(self, model, device, kind, seed, max_symbols):
        super().__init__(model.inputs, device)
        self._model = model
        self._device = device
        self._kind = kind
        self._random = random.Random(seed)
        self._max_symbols = max_symbols
        self.cache = Cache()
        self.stages = 0
        self.found = 0
        self.last = (0, 0)
        self.comparing_s = 0.0

    def find_cex(self, hypothesis):
        self.stages += 1
        self.found = len(hypothesis.states)
        start = time.process_time()
        difference = self._model.difference(hypothesis)
        self.comparing_s += time.process_time() - start
        if difference is not None:
            if self._kind == 'random-wp':
                difference = self._counterexample(hypothesis)
            self.last = (self._device.cache.symbols, self.cache.symbols)
            # AALpy's learners ask for the outputs of a counterexample, which are known; LearnLib's are told them.
            self._device.cache.add(difference)
        return difference

    def _counterexample(self, hypothesis):
        tests = RandomWp(hypothesis, self._model.inputs, self._random)
        while True:
            word = tests.word()
            self.cache.ask(word)
            if self.cache.symbols > self._max_symbols:
                raise LimitReached('max-symbols')
            state = hypothesis.initial_state
            for at, (input_, output) in enumerate(zip(word, self._model.outputs(word))):
                if state.output_fun[input_] != output:
                    return word[:at + 1]
                state = state.transitions[input_]


def learn(run, kind, seed, max_symbols, max_seconds):
    """One run: the fields of its row, from 'Stages' to 'Found states'."""
    model = run.model
    device = Device(model)
    tests = Tests(model, device, kind, seed, max_symbols)
    # Where a learner breaks ties at random, it must do so alike each time.
    random.seed(seed)
    # L# goes through sets of nodes, whose hashes are their numbers: they must not depend on earlier runs.
    MealyNode._id_counter = 0
    outcome = 'exact'
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, max_seconds)
    try:
        old = {} if run.old is None else {'references': [run.old]}
        (LEARNERS | ADAPTIVE)[run.algorithm](
            model.inputs, device, eq_oracle=tests, automaton_type='mealy', cache_and_non_det_check=False,
            print_level=0, **old)
    except LimitReached as reached:
        outcome = str(reached)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = time.process_time() - start - tests.comparing_s
    return [
        tests.stages, model.minimal_states(), '', '', '', '', device.cache.resets, device.cache.symbols,
        tests.cache.resets, tests.cache.symbols, *tests.last, f'{seconds:.6f}', '', outcome, tests.found,
    ]


def on_alarm(_signal, _frame):
    raise LimitReached('time-out')


def main():
    options = arguments()
    signal.signal(signal.SIGPROF, on_alarm)
    # Words are as long as the model is deep, and AALpy recurses along them.
    sys.setrecursionlimit(100_000)
    header = HEADER + [REFERENCE] if options.pairs else HEADER
    done = rows_of(options.out, header)
    for run in runs_of_pairs(options) if options.pairs else runs_of_models(options):
        model = run.model
        if model.transitions() > options.max_transitions:
            continue
        for kind in options.tests:
            # The perfect counterexample is the same whatever the seed.
            for seed in options.seeds[:1] if kind == 'perfect' else options.seeds:
                key = (model.suite, model.name, run.algorithm, kind, str(seed))
                given = (run.given,) if options.pairs else ()
                if key + given not in done:
                    fields = learn(run, kind, seed, options.max_symbols, options.max_seconds)
                    with options.out.open('a', newline='') as out:
                        csv.writer(out, lineterminator='\n').writerow([*key, *fields, *given])
                    done.add(key + given)


class Run:
    """A model to learn, a learner, and what the learner is given: an old model, and where it comes from."""

    def __init__(self, model, algorithm, given='', old=None):
        self.model = model
        self.algorithm = algorithm
        self.given = given
        self.old = old


def runs_of_models(options):
    for path in files(options.models):
        model = Model(path)
        for algorithm in options.algorithms:
            yield Run(model, algorithm)


def runs_of_pairs(options):
    """The new model alone, given the old one, and given itself."""
    folder, = options.models
    with options.pairs.open(newline='') as file:
        for pair in csv.DictReader(file):
            old, new = (Model(folder / pair[which]) for which in ('old', 'new'))
            renamed = pair.get('inputs') == 'renamed'
            for algorithm in options.algorithms:
                if algorithm in ADAPTIVE:
                    yield Run(new, algorithm, pair['old'], reference(old, new, renamed))
                    yield Run(new, algorithm, pair['new'], reference(new, new))
                else:
                    yield Run(new, algorithm)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('models', nargs='+', type=Path, metavar='MODELS')
    parser.add_argument('--out', required=True, type=Path, metavar='FILE')
    parser.add_argument('--pairs', type=Path, metavar='FILE')
    parser.add_argument('--algorithms', type=names)
    parser.add_argument('--tests', type=names, default=['random-wp'])
    parser.add_argument('--seeds', type=lambda text: [int(seed) for seed in text.split(',')], default=[0])
    parser.add_argument('--max-symbols', type=int, default=2_000_000)
    parser.add_argument('--max-seconds', type=float, default=60)
    parser.add_argument('--max-transitions', type=float, default=float('inf'))
    for option in ('--memory', '--own-cache', '--no-warm-up'):
        parser.add_argument(option, action='store_true', help='of LearnLib alone')
    options = parser.parse_args()
    for kind in options.tests:
        if kind not in ('random-wp', 'perfect'):
            parser.error(f'there are no tests {kind}')
    if options.pairs and len(options.models) != 1:
        parser.error('--pairs needs one folder, of suites')
    possible = LEARNERS | ADAPTIVE if options.pairs else LEARNERS
    for name in options.algorithms or ():
        if name in ADAPTIVE and name not in possible:
            parser.error(f'{name} needs --pairs')
    default = PAIRED if options.pairs else list(LEARNERS)
    options.algorithms = [name for name in options.algorithms or default if name in possible]
    return options


def names(text):
    return text.split(',')


def files(paths):
    """Files, and what is in folders."""
    for path in paths:
        yield from sorted(path.glob('*.dot')) if path.is_dir() else [path]


def rows_of(out, header):
    """The runs that stand in the file, which is begun if there is none."""
    if not out.exists():
        out.write_text(','.join(header) + '\n')
    with out.open(newline='') as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != header:
            raise SystemExit(f'{out} has another header; give another file')
        return {tuple(row[column] for column in [*KEY, *header[len(HEADER):]]) for row in reader}


if __name__ == '__main__':
    try:
        main()
    except OSError as error:
        raise SystemExit(f'{error.filename}: {error.strerror}') from error
