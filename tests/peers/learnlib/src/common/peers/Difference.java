package peers;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.automatalib.automaton.transducer.MealyMachine;
import net.automatalib.word.Word;

/** What tells a hypothesis from the model. */
final class Difference {
    private Difference() {}

    /** A shortest word, the first in the order of inputs among those, or nothing if they are equal. */
    static Word<Integer> shortest(Model model, MealyMachine<?, Integer, ?, Integer> hypothesis) {
        return search(model, hypothesis);
    }

    private static <S> Word<Integer> search(Model model, MealyMachine<S, Integer, ?, Integer> hypothesis) {
        Map<S, Integer> ids = new HashMap<>();
        List<S> states = new ArrayList<>();
        Map<Integer, BitSet> met = new HashMap<>();
        ArrayDeque<Pair> queue = new ArrayDeque<>();
        queue.add(new Pair(model.initial, id(hypothesis.getInitialState(), ids, states), -1, null));
        met.computeIfAbsent(0, key -> new BitSet()).set(model.initial);
        while (!queue.isEmpty()) {
            Pair pair = queue.remove();
            S state = states.get(pair.hypothesis);
            for (int input = 0; input < model.inputs; input++) {
                if (model.output(pair.model, input) != hypothesis.getOutput(state, input)) {
                    return new Pair(0, 0, input, pair).word();
                }
                int next = model.next(pair.model, input);
                int believed = id(hypothesis.getSuccessor(state, input), ids, states);
                BitSet with = met.computeIfAbsent(believed, key -> new BitSet());
                if (!with.get(next)) {
                    with.set(next);
                    queue.add(new Pair(next, believed, input, pair));
                }
            }
        }
        return null;
    }

    private static <S> int id(S state, Map<S, Integer> ids, List<S> states) {
        return ids.computeIfAbsent(state, key -> {
            states.add(key);
            return states.size() - 1;
        });
    }

    /** Two states that one word leads to, and how it got there. */
    private record Pair(int model, int hypothesis, int input, Pair before) {
        Word<Integer> word() {
            List<Integer> inputs = new ArrayList<>();
            for (Pair pair = this; pair.before != null; pair = pair.before) {
                inputs.add(0, pair.input);
            }
            return Word.fromList(inputs);
        }
    }
}
