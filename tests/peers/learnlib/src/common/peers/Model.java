package peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A complete Mealy machine; inputs in the order that LearnLib's own reader of DOT gives them, that of a hash set: the
 * published figures were made so, and what L* and its counterexamples cost depends on it.
 */
final class Model {
    private static final Pattern INITIAL = Pattern.compile("\\s*\"?__start0?\"?\\s*->\\s*\"?([^\"\\s;]+)\"?.*");
    private static final Pattern EDGE = Pattern.compile(
            "\\s*\"?([^\"\\s]+)\"?\\s*->\\s*\"?([^\"\\s\\[]+)\"?\\s*\\[.*?label\\s*=\\s*\"(.*?)\\s*/\\s*(.*?)\"[^\"]*");

    final String suite;
    final String name;
    final int initial;
    final int inputs;
    /** At {@code state * inputs + input}: the next state. */
    final int[] next;
    /** At {@code state * inputs + input}: the output. */
    final int[] output;

    private Model(String suite, String name, int initial, int inputs, int[] next, int[] output) {
        this.suite = suite;
        this.name = name;
        this.initial = initial;
        this.inputs = inputs;
        this.next = next;
        this.output = output;
    }

    int states() {
        return next.length / inputs;
    }

    int next(int state, int input) {
        return next[state * inputs + input];
    }

    int output(int state, int input) {
        return output[state * inputs + input];
    }

    /** Reads a DOT file with an edge a line, {@code s0 -> s1 [label="in / out"]}. */
    static Model read(Path file) throws IOException {
        List<Edge> edges = new ArrayList<>();
        // Filled one by one, as LearnLib does: what its size was at first changes the order.
        Set<String> names = new HashSet<>();
        String initial = null;
        for (String line : Files.readAllLines(file)) {
            Matcher match = INITIAL.matcher(line);
            if (match.matches()) {
                initial = match.group(1);
                continue;
            }
            match = EDGE.matcher(line);
            if (match.matches()) {
                edges.add(new Edge(match.group(1), match.group(2), match.group(3), match.group(4)));
                names.add(match.group(3));
            }
        }
        Ids states = new Ids();
        Ids inputs = new Ids();
        Ids outputs = new Ids();
        names.forEach(inputs::of);
        edges.forEach(edge -> states.of(edge.from));
        if (initial == null || !states.has(initial)) {
            throw new IOException(file + ": no line \"__start0 -> STATE;\" with a state that has transitions");
        }
        int[] next = new int[states.size() * inputs.size()];
        int[] output = new int[next.length];
        Arrays.fill(next, -1);
        for (Edge edge : edges) {
            int at = states.of(edge.from) * inputs.size() + inputs.of(edge.input);
            if (next[at] >= 0 || !states.has(edge.to)) {
                throw new IOException(file + ": two transitions where there can be one, or one that leads nowhere: " + edge);
            }
            next[at] = states.of(edge.to);
            output[at] = outputs.of(edge.output);
        }
        if (Arrays.stream(next).anyMatch(state -> state < 0)) {
            throw new IOException(file + ": a state has no transition with some input");
        }
        Path folder = file.toAbsolutePath().normalize().getParent().getFileName();
        return new Model(folder == null ? "" : folder.toString(), file.getFileName().toString(), states.of(initial),
                inputs.size(), next, output);
    }

    /** A machine to warm up on: pseudo-random, the same each time. */
    static Model warmUp(int states, int inputs) {
        int[] next = new int[states * inputs];
        int[] output = new int[next.length];
        var random = new java.util.Random(4711);
        for (int at = 0; at < next.length; at++) {
            next[at] = random.nextInt(states);
            output[at] = random.nextInt(3);
        }
        return new Model("", "", 0, inputs, next, output);
    }

    /** How many states the minimal machine has: Moore's partition refinement on what is reachable. */
    int minimalStates() {
        List<Integer> reached = new ArrayList<>(List.of(initial));
        boolean[] seen = new boolean[states()];
        seen[initial] = true;
        for (int at = 0; at < reached.size(); at++) {
            for (int input = 0; input < inputs; input++) {
                int to = next(reached.get(at), input);
                if (!seen[to]) {
                    seen[to] = true;
                    reached.add(to);
                }
            }
        }
        int[] block = new int[states()];
        int blocks = 1;
        while (true) {
            Map<List<Integer>, Integer> signatures = new HashMap<>();
            int[] refined = new int[states()];
            for (int state : reached) {
                List<Integer> signature = new ArrayList<>(2 * inputs + 1);
                signature.add(block[state]);
                for (int input = 0; input < inputs; input++) {
                    signature.add(output(state, input));
                    signature.add(block[next(state, input)]);
                }
                refined[state] = signatures.computeIfAbsent(signature, key -> signatures.size());
            }
            if (signatures.size() == blocks) {
                return blocks;
            }
            blocks = signatures.size();
            block = refined;
        }
    }

    private record Edge(String from, String to, String input, String output) {}

    /** Names, numbered in the order in which they come. */
    private static final class Ids {
        private final Map<String, Integer> ids = new LinkedHashMap<>();

        int of(String name) {
            Integer id = ids.putIfAbsent(name, ids.size());
            return id == null ? ids.size() - 1 : id;
        }

        boolean has(String name) {
            return ids.containsKey(name);
        }

        int size() {
            return ids.size();
        }
    }
}
