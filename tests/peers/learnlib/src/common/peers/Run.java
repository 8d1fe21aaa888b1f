package peers;

import de.learnlib.algorithm.LearningAlgorithm.MealyLearner;
import de.learnlib.filter.cache.mealy.MealyCaches;
import de.learnlib.oracle.MembershipOracle;
import de.learnlib.oracle.equivalence.RandomWpMethodEQOracle;
import de.learnlib.query.DefaultQuery;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import net.automatalib.alphabet.Alphabet;
import net.automatalib.automaton.transducer.MealyMachine;
import net.automatalib.word.Word;

/** One model, learned once. */
final class Run {
    /** How much longer than allowed a learner may go on without asking anything. */
    private static final double PATIENCE = 1.1;
    /** Decision trees can be as deep as the model has states. */
    private static final long STACK_BYTES = 1L << 28;

    private final Model model;
    private final Tests tests;
    private final Device learning;
    private final Device testing;
    private final Memory memory;
    private int stages;
    private int found;
    private long lastLearning;
    private long lastTesting;
    private long comparing;
    private long peakBytes;
    private volatile String outcome = "exact";
    private double seconds;
    private boolean isStuck;

    /** Where the counterexamples come from. */
    enum Tests {
        RANDOM_WP, PERFECT;

        String title() {
            return name().toLowerCase().replace('_', '-');
        }
    }

    /** What of the heap is measured; the time that this takes is of no use. */
    enum Memory {
        NO, OF_LEARNER,
        /** And of LearnLib's own cache, without which the learner would ask words again. */
        WITH_CACHE
    }

    private Run(Model model, Tests tests, long maxSymbols, double maxSeconds, Memory memory) {
        Limits limits = new Limits(maxSeconds);
        this.model = model;
        this.tests = tests;
        this.learning = new Device(model, limits, Long.MAX_VALUE);
        this.testing = new Device(model, limits, maxSymbols);
        this.memory = memory;
    }

    /** Learns the model. */
    static Run learn(Model model, String algorithm, Tests tests, long seed, long maxSymbols, double maxSeconds,
            Memory memory) {
        Run run = new Run(model, tests, maxSymbols, maxSeconds, memory);
        Thread thread = new Thread(null, () -> run.learn(algorithm, seed), "learner", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join((long) (1000 * (maxSeconds * PATIENCE + 1)));
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
        run.isStuck = thread.isAlive();
        if (run.isStuck) {
            run.outcome = "time-out";
            run.seconds = maxSeconds * PATIENCE;
        }
        return run;
    }

    private void learn(String algorithm, long seed) {
        long start = System.nanoTime();
        try {
            refine(algorithm, seed);
        } catch (Limits.Reached reached) {
            outcome = reached.getMessage();
        } catch (OutOfMemoryError error) {
            outcome = "memory";
        }
        seconds = (System.nanoTime() - start - comparing) * 1e-9;
        // The learner is gone, all else is still there.
        peakBytes -= memory == Memory.NO ? 0 : liveBytes();
    }

    private void refine(String algorithm, long seed) {
        Alphabet<Integer> alphabet = Learners.alphabet(model.inputs);
        MembershipOracle<Integer, Word<Integer>> oracle =
                memory == Memory.WITH_CACHE ? MealyCaches.createTreeCache(alphabet, learning) : learning;
        MealyLearner<Integer, Integer> learner = Learners.create(algorithm, alphabet, model, learning, oracle);
        // Seeds that follow each other start alike in java.util.Random.
        Random random = new Random(new SplittableRandom(seed).nextLong());
        var randomWp = new RandomWpMethodEQOracle<MealyMachine<?, Integer, ?, Integer>, Integer, Word<Integer>>(
                testing, 2, 10, 0, random, 1);
        learner.startLearning();
        while (true) {
            stages++;
            MealyMachine<?, Integer, ?, Integer> hypothesis = learner.getHypothesisModel();
            found = hypothesis.size();
            peakBytes = memory == Memory.NO ? 0 : Math.max(peakBytes, liveBytes());
            long compared = System.nanoTime();
            Word<Integer> difference = Difference.shortest(model, hypothesis);
            comparing += System.nanoTime() - compared;
            if (difference == null) {
                break;
            }
            DefaultQuery<Integer, Word<Integer>> counterexample = tests == Tests.RANDOM_WP
                    ? randomWp.findCounterExample(hypothesis, alphabet)
                    : new DefaultQuery<>(Word.epsilon(), difference, learning.outputs(difference));
            lastLearning = learning.symbols;
            lastTesting = testing.symbols;
            learner.refineHypothesis(counterexample);
        }
    }

    /** What lives on the heap after a collection, but for the caches that count, which are the harness's. */
    private long liveBytes() {
        System.gc();
        long bytes = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        return bytes - learning.cacheBytes() - testing.cacheBytes();
    }

    /** It computes and asks nothing; only the end of this process can end it. */
    boolean isStuck() {
        return isStuck;
    }

    boolean isExact() {
        return outcome.equals("exact");
    }

    /** The fields of its row, from {@code Stages} on. */
    List<String> fields(String memoryBytes) {
        return List.of(text(stages), text(model.minimalStates()), "", "", "", "", text(learning.resets),
                text(learning.symbols), text(testing.resets), text(testing.symbols), text(lastLearning),
                text(lastTesting), String.format(java.util.Locale.ROOT, "%.6f", seconds), memoryBytes, outcome,
                text(found));
    }

    String peakBytes() {
        return text(peakBytes);
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}
