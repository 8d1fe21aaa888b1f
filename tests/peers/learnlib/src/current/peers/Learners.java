package peers;

import de.learnlib.acex.AcexAnalyzers;
import de.learnlib.algorithm.LearningAlgorithm.MealyLearner;
import de.learnlib.algorithm.kv.mealy.KearnsVaziraniMealy;
import de.learnlib.algorithm.lstar.ce.ObservationTableCEXHandlers;
import de.learnlib.algorithm.lstar.closing.ClosingStrategies;
import de.learnlib.algorithm.lstar.mealy.ClassicLStarMealy;
import de.learnlib.algorithm.rivestschapire.RivestSchapireMealy;
import de.learnlib.algorithm.ttt.mealy.TTTLearnerMealy;
import de.learnlib.oracle.MembershipOracle;
import de.learnlib.util.mealy.MealyUtil;
import java.util.List;
import net.automatalib.alphabet.Alphabet;
import net.automatalib.alphabet.impl.Alphabets;
import net.automatalib.word.Word;

/** The learners of LearnLib 0.18. */
final class Learners {
    static final List<String> NAMES = List.of("learnlib-lstar", "learnlib-rs", "learnlib-kv", "learnlib-ttt");

    private Learners() {}

    static Alphabet<Integer> alphabet(int inputs) {
        return Alphabets.integers(0, inputs - 1);
    }

    /** Classic L* as the published figures have it: symbols in its cells, suffixes one by one. */
    static MealyLearner<Integer, Integer> create(String name, Alphabet<Integer> alphabet, Model model, Device device,
            MembershipOracle<Integer, Word<Integer>> oracle) {
        return switch (name) {
            case "learnlib-lstar" -> MealyUtil.wrapSymbolLearner(new ClassicLStarMealy<>(alphabet,
                    MealyUtil.wrapWordOracle(oracle), ObservationTableCEXHandlers.SUFFIX1BY1,
                    ClosingStrategies.CLOSE_FIRST));
            case "learnlib-rs" -> new RivestSchapireMealy<>(alphabet, oracle);
            case "learnlib-kv" -> new KearnsVaziraniMealy<>(alphabet, oracle, true, AcexAnalyzers.BINARY_SEARCH_BWD);
            case "learnlib-ttt" -> new TTTLearnerMealy<>(alphabet, oracle, AcexAnalyzers.BINARY_SEARCH_BWD);
            default -> throw new IllegalArgumentException(name);
        };
    }
}
