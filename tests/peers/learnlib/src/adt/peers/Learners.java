package peers;

import de.learnlib.algorithm.LearningAlgorithm.MealyLearner;
import de.learnlib.algorithm.adt.config.ADTExtenders;
import de.learnlib.algorithm.adt.config.LeafSplitters;
import de.learnlib.algorithm.adt.config.SubtreeReplacers;
import de.learnlib.algorithm.adt.learner.ADTLearner;
import de.learnlib.oracle.MembershipOracle;
import de.learnlib.oracle.SymbolQueryOracle;
import java.util.List;
import net.automatalib.alphabet.Alphabet;
import net.automatalib.alphabet.Alphabets;
import net.automatalib.word.Word;

/** The learner of LearnLib 0.17 that 0.18 has no more. */
final class Learners {
    static final List<String> NAMES = List.of("learnlib-adt");

    private Learners() {}

    static Alphabet<Integer> alphabet(int inputs) {
        return Alphabets.integers(0, inputs - 1);
    }

    static MealyLearner<Integer, Integer> create(String name, Alphabet<Integer> alphabet, Model model, Device device,
            MembershipOracle<Integer, Word<Integer>> oracle) {
        return new ADTLearner<>(alphabet, new Symbols(model, device), LeafSplitters.DEFAULT_SPLITTER,
                ADTExtenders.EXTEND_BEST_EFFORT, SubtreeReplacers.LEVELED_BEST_EFFORT);
    }

    /** The device symbol by symbol; the learner has a tree of what it has seen, and asks nothing twice. */
    private static final class Symbols implements SymbolQueryOracle<Integer, Integer> {
        private final Model model;
        private final Device device;
        private int state;

        Symbols(Model model, Device device) {
            this.model = model;
            this.device = device;
        }

        @Override
        public Integer query(Integer input) {
            device.count(0, 1);
            int output = model.output(state, input);
            state = model.next(state, input);
            return output;
        }

        @Override
        public void reset() {
            device.count(1, 0);
            state = model.initial;
        }
    }
}
