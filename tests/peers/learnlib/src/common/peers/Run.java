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
    private final Settings settings;
    private final Device learning;
    private final Device testing;
    private final boolean memory;
    private int stages;
    private int found;
    private long lastLearning;
    private long lastTesting;
    private double comparing;
    private long peakBytes;
    /** As long as nothing else is known. */
    private volatile String outcome = "failed";
    private double seconds;
    private boolean isStuck;

    /** Where the counterexamples come from. */
    enum Tests {
        RANDOM_WP, PERFECT;

        String title() {
            return name().toLowerCase().replace('_', '-');
        }
    }

    /** What a run is asked for. */
    record Settings(Tests tests, long maxSymbols, double maxSeconds, boolean ownCache) {}

    private Run(Model model, Settings settings, boolean memory) {
        Limits limits = new Limits(settings.maxSeconds);
        this.model = model;
        this.settings = settings;
        this.learning = new Device(model, limits, Long.MAX_VALUE);
        this.testing = new Device(model, limits, settings.maxSymbols);
        this.memory = memory;
    }

    /** Learns the model; with {@code memory} its heap is measured, and the time that this takes is of no use. */
    static Run learn(Model model, String algorithm, long seed, Settings settings, boolean memory) {
        Run run = new Run(model, settings, memory);
        Thread thread = new Thread(null, () -> run.learn(algorithm, seed), "learner", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        try {
            while (thread.isAlive() && Limits.seconds(thread) < PATIENCE * settings.maxSeconds) {
                thread.join(100);
            }
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
        run.isStuck = thread.isAlive();
        if (run.isStuck) {
            run.outcome = "time-out";
            run.seconds = Limits.seconds(thread);
        }
        return run;
    }

    private void learn(String algorithm, long seed) {
        double start = Limits.seconds(Thread.currentThread());
        try {
            refine(algorithm, seed);
        } catch (Limits.Reached reached) {
            outcome = reached.getMessage();
        } catch (OutOfMemoryError error) {
            outcome = "memory";
        }
        seconds = Limits.seconds(Thread.currentThread()) - start - comparing;
        // The learner is gone, all else is still there.
        peakBytes -= memory ? liveBytes() : 0;
    }

    private void refine(String algorithm, long seed) {
        Alphabet<Integer> alphabet = Learners.alphabet(model.inputs);
        MembershipOracle<Integer, Word<Integer>> oracle =
                settings.ownCache ? MealyCaches.createTreeCache(alphabet, learning) : learning;
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
            peakBytes = memory ? Math.max(peakBytes, liveBytes()) : 0;
            double compared = Limits.seconds(Thread.currentThread());
            Word<Integer> difference = Difference.shortest(model, hypothesis);
            comparing += Limits.seconds(Thread.currentThread()) - compared;
            if (difference == null) {
                outcome = "exact";
                return;
            }
            DefaultQuery<Integer, Word<Integer>> counterexample = settings.tests == Tests.RANDOM_WP
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
