package peers;

import de.learnlib.oracle.MembershipOracle;
import de.learnlib.query.Query;
import java.util.Collection;
import java.util.List;
import net.automatalib.word.Word;
import net.automatalib.word.WordBuilder;

/**
 * A model as a device, for one purpose (learning or testing): it answers words, and counts what it would have been asked
 * behind a cache. A word that is known, or a prefix of one, costs nothing, nor does a prefix of another word of the same
 * batch; any other costs a reset and its whole length.
 */
final class Device implements MembershipOracle.MealyMembershipOracle<Integer, Integer> {
    private final Model model;
    private final Limits limits;
    private final long maxSymbols;
    private final Cache cache;
    long resets;
    long symbols;

    Device(Model model, Limits limits, long maxSymbols) {
        this.model = model;
        this.limits = limits;
        this.maxSymbols = maxSymbols;
        this.cache = new Cache(model.inputs);
    }

    long cacheBytes() {
        return cache.bytes();
    }

    @Override
    public void processQueries(Collection<? extends Query<Integer, Word<Integer>>> queries) {
        List<? extends Query<Integer, Word<Integer>>> longestFirst = queries.stream()
                .sorted((a, b) -> b.getInput().length() - a.getInput().length()).toList();
        for (Query<Integer, Word<Integer>> query : longestFirst) {
            Word<Integer> word = query.getInput();
            ask(word);
            query.answer(outputs(word).suffix(query.getSuffix().length()));
        }
    }

    private void ask(Word<Integer> word) {
        int node = 0;
        boolean known = true;
        for (int input : word) {
            int after = known ? cache.after(node, input) : -1;
            known = after >= 0;
            node = known ? after : cache.add(node, input);
        }
        if (!known) {
            count(1, word.length());
        }
    }

    /** Counts what an adaptive learner did, and ends the run if it has lasted too long. */
    void count(long resets, long symbols) {
        this.resets += resets;
        this.symbols += symbols;
        limits.check(this.symbols > maxSymbols);
    }

    Word<Integer> outputs(Word<Integer> word) {
        WordBuilder<Integer> outputs = new WordBuilder<>(word.length());
        int state = model.initial;
        for (int input : word) {
            outputs.append(model.output(state, input));
            state = model.next(state, input);
        }
        return outputs.toWord();
    }
}
