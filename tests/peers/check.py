#!/usr/bin/env python3
"""Compares measured rows with what they should be; says where they differ, and fails if they do.

check.py expected FILE CSV...       with the rows that this harness wrote before, but for times
check.py peers FILE CSV...          with what another harness measured on the same models
check.py published FOLDER CSV...    with what the authors of OL* measured for LearnLib's L*
check.py pairs FILE CSV...          learners that were given an old model with AALpy's L# alone: means over the pairs of
                                    FILE; fails if a run is missing, or did not learn with perfect counterexamples
"""

import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

KEY = ('Suite', 'Model', 'Algorithm', 'Tests', 'Seed', 'Reference')
VARYING = ('Seconds', 'Memory bytes')
# Published is one run a model, without a seed: the means of many models agree, not single ones.
PUBLISHED_LIMIT = 1.10
# LearnLib's ADT breaks ties by the addresses of objects, AALpy's L# by the number of nodes that the process has made;
# this harness sets that number to zero before each run, the other one does not.
PEERS_LIMIT = {'learnlib-adt': 1.10, 'aalpy-lsharp': 1.10}

# What pairs are compared by, and the columns that it is the sum of.
COSTS = {
    'resets': ('Learning queries', 'Testing queries'),
    'symbols': ('Learning symbols', 'Testing symbols'),
    'resets of learning': ('Learning queries',),
    'symbols of learning': ('Learning symbols',),
    'hypotheses': ('Stages',),
}
GIVEN = {'old': 'the old model', 'itself': 'the new model itself'}


def rows(path):
    with open(path, newline='') as file:
        return list(csv.DictReader(file))


def expected(path, measured):
    """Row by row, each field that is not a time."""
    def comparable(row):
        return {name: value for name, value in row.items() if name not in VARYING}

    def by_key(rows):
        return {tuple(row.get(name, '') for name in KEY): comparable(row) for row in rows}

    wanted, got = by_key(rows(path)), by_key(measured)
    wrong = 0
    for key in sorted(wanted.keys() | got.keys()):
        if wanted.get(key) != got.get(key):
            print('differs:', *key, '\n  expected', wanted.get(key), '\n  measured', got.get(key))
            wrong += 1
    print(f'{len(wanted)} rows expected, {len(got)} measured, {wrong} differ')
    return wrong == 0 and bool(wanted)


def peers(path, measured):
    """Learning and stages with perfect counterexamples: equal, where both learned the model."""
    theirs = {
        (row['suite'], row['model'], algorithm(row['learner'])): row
        for row in rows(path) if row['oracle'] == 'perfect' and row['exact'] == 'yes'
    }
    ratios, different = defaultdict(list), defaultdict(list)
    for row in exact(measured, 'perfect'):
        other = theirs.get((row['Suite'], row['Model'], row['Algorithm']))
        if other is None:
            continue
        name = row['Algorithm']
        ratios[name].append(ratio(row['Learning symbols'], other['learn_symbols']))
        mine = (row['Stages'], row['Learning queries'], row['Learning symbols'])
        if mine != (other['equivalence_queries'], other['learn_resets'], other['learn_symbols']):
            different[name].append((row['Suite'], row['Model'], *mine, 'instead of', other['equivalence_queries'],
                                    other['learn_resets'], other['learn_symbols']))
    good = bool(ratios)
    for name, values in sorted(ratios.items()):
        worst = max(max(value, 1 / value) for value in values)
        print(f'{name}: {len(values)} models, {len(values) - len(different[name])} equal in stages, queries and '
              f'symbols; symbols by geometric mean {mean(values):.4f} times theirs, at worst {worst:.4f}')
        for line in different[name][:5]:
            print('  differs:', *line)
        limit = PEERS_LIMIT.get(name)
        good &= worst <= limit if limit else not different[name]
    return good


def published(folder, measured):
    """LearnLib's L*: equal where no counterexample was needed, near by geometric mean elsewhere."""
    theirs = {}
    for suite, file in (('artificial', 'artificial'), ('labbaf-bcs', 'labbaf')):
        for row in rows(Path(folder) / f'results_{file}_lstar.csv'):
            name = row['Model'] if row['Model'].endswith('.dot') else row['Model'] + '.dot'
            theirs[suite, name] = row
    runs = defaultdict(list)
    for row in exact(measured, 'random-wp'):
        if row['Algorithm'] == 'learnlib-lstar' and (row['Suite'], row['Model']) in theirs:
            runs[row['Suite'], row['Model']].append(row)
    good, groups = bool(runs), defaultdict(list)
    equal = 0
    for key, of_model in sorted(runs.items()):
        other = theirs[key]
        if other['Stages'] != '1':
            groups[key[0]].append((of_model, other))
            continue
        columns = ('Stages', 'States', 'Learning queries', 'Learning symbols', 'Testing queries', 'Testing symbols')
        for row in of_model:
            if any(row[column] != other[column] for column in columns):
                print('differs:', *key, [row[column] for column in columns], 'instead of',
                      [other[column] for column in columns])
                good = False
            else:
                equal += 1
    print(f'no counterexample needed: {equal} runs equal to the published ones in all columns')
    together = [pair for pairs in groups.values() for pair in pairs]
    for suite, pairs in [*sorted(groups.items()), ('together', together)]:
        for column in ('Learning queries', 'Learning symbols', 'Testing queries', 'Testing symbols', 'Stages'):
            means = [ratio(mean([float(row[column]) + 1 for row in of_model]), float(other[column]) + 1)
                     for of_model, other in pairs]
            spread = math.exp(deviation([math.log(value) for value in means]) / math.sqrt(len(means)))
            print(f'{suite}, {len(pairs)} models with counterexamples, {column}: {mean(means):.3f} times the '
                  f'published (standard error: a factor of {spread:.3f})')
            if suite == 'together' and column.endswith('symbols'):
                good &= 1 / PUBLISHED_LIMIT <= mean(means) <= PUBLISHED_LIMIT
    return good


def pairs(path, measured):
    """What an old model saves, for each kind of tests with which pairs of the file were run."""
    alone, given = {}, {}
    for row in measured:
        key = (f"{row['Suite']}/{row['Model']}", row['Tests'], row['Seed'])
        if row['Reference']:
            given[row['Algorithm'], *key, row['Reference']] = row
        elif row['Algorithm'] == 'aalpy-lsharp':
            alone[key] = row
    wanted = rows(path)
    of_file = {(pair['new'], pair['old']) for pair in wanted}
    kinds = {(tests, algorithm, seed) for algorithm, new, tests, seed, old in given if (new, old) in of_file}
    good = bool(kinds)
    for tests, algorithm in sorted({kind[:2] for kind in kinds}):
        ratios, bases = defaultdict(list), defaultdict(list)
        seeds = sorted(seed for *kind, seed in kinds if kind == [tests, algorithm])
        for pair, seed in ((pair, seed) for pair in wanted for seed in seeds):
            key = (pair['new'], tests, seed)
            base, old, itself = alone.get(key), *(given.get((algorithm, *key, pair[which])) for which in ('old', 'new'))
            runs = (base, old, itself)
            if any(row is None or row['Outcome'] != 'exact' for row in runs):
                print('left out:', algorithm, *key, 'given', pair['old'] + ':',
                      *(row['Outcome'] if row else 'missing' for row in runs))
                # With perfect counterexamples nothing but the time can be short.
                good &= tests != 'perfect' and None not in runs
                continue
            for what in COSTS:
                bases[what].append(cost(base, what))
                ratios[what, 'old'].append(cost(old, what) / cost(base, what))
                ratios[what, 'itself'].append(cost(itself, what) / cost(base, what))
        if not ratios:
            continue
        print(f'{tests}, L# alone:', ', '.join(f'{what} {mean(bases[what]):.1f}' for what in COSTS))
        for name, words in GIVEN.items():
            means = (f'{what} {mean(ratios[what, name]):.3f} ({min(ratios[what, name]):.3f} to '
                     f'{max(ratios[what, name]):.3f})' for what in COSTS)
            print(f"{tests}, {algorithm} given {words}, {len(ratios['symbols', name])} runs, times those of L# alone: "
                  f"{', '.join(means)}")
    return good


def cost(row, what):
    return sum(float(row[column]) for column in COSTS[what])


def exact(measured, tests):
    return [row for row in measured if row['Tests'] == tests and row['Outcome'] == 'exact']


def algorithm(learner):
    return learner if learner.startswith('aalpy-') else 'learnlib-' + learner


def ratio(a, b):
    return float(a) / float(b)


def mean(values):
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def deviation(values):
    middle = sum(values) / len(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1))


def main():
    checks = {'expected': expected, 'peers': peers, 'published': published, 'pairs': pairs}
    if len(sys.argv) < 4 or sys.argv[1] not in checks:
        raise SystemExit(__doc__)
    measured = [row for path in sys.argv[3:] for row in rows(path)]
    good = checks[sys.argv[1]](sys.argv[2], measured)
    print('as it should be' if good else 'NOT as it should be')
    sys.exit(not good)


if __name__ == '__main__':
    main()
