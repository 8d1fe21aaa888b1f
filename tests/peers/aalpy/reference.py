"""An old model as a reference for adaptive learning of a new one."""

from aalpy.automata import MealyMachine, MealyState


def reference(old, new, renamed=False):
    """The old model as a learner would have left it: what is reachable, minimal, the initial state first.

    The two models share the inputs of equal names. With `renamed` each input of the old model gets the name of the
    input of the new one that has the same place in the order of the file. Inputs that the new model lacks are numbered
    after its own.
    """
    if renamed:
        numbers = old.inputs
    else:
        known = {name: at for at, name in enumerate(new.input_names)}
        numbers = [known.get(name, len(known) + at) for at, name in enumerate(old.input_names)]
    classes = old.classes()
    # The state of the reference for each class, in the order in which the classes are reached.
    states = {}
    for state, number in classes.items():
        if number not in states:
            states[number] = MealyState(f's{number}')
            for at in old.inputs:
                states[number].output_fun[numbers[at]] = old.output[state][at]
    for state, number in classes.items():
        for at in old.inputs:
            states[number].transitions[numbers[at]] = states[classes[old.next[state][at]]]
    return MealyMachine(states[classes[old.initial]], list(states.values()))
