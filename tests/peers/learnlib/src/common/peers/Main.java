package peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Learns models with the learners of LearnLib, and writes a row for each run to a file. */
public final class Main {
    private static final String HEADER = "Suite,Model,Algorithm,Tests,Seed,Stages,States,Short rows,Inconsistent count,"
            + "Zero outputs count,Two outputs count,Learning queries,Learning symbols,Testing queries,Testing symbols,"
            + "Last learning symbols,Last testing symbols,Seconds,Memory bytes,Outcome,Found states";
    /** How many fields say which run it was. */
    private static final int KEY = 5;
    /** Asks to be started again, which goes on with the next run. */
    private static final int GO_ON_STATUS = 75;
    private static final double WARM_UP_SECONDS = 5;

    private final List<Path> models = new ArrayList<>();
    private List<String> algorithms = Learners.NAMES;
    private List<Run.Tests> tests = List.of(Run.Tests.RANDOM_WP);
    private List<Long> seeds = List.of(0L);
    private long maxSymbols = 2_000_000;
    private double maxSeconds = 60;
    private int maxTransitions = Integer.MAX_VALUE;
    private boolean memory;
    private boolean ownCache;
    private boolean warmUp = true;
    private Path out;

    private Main() {}

    public static void main(String[] arguments) {
        try {
            Main main = new Main();
            main.parse(arguments);
            main.run();
        } catch (UsageException error) {
            System.err.println(error.getMessage());
            System.exit(2);
        } catch (NumberFormatException error) {
            System.err.println("an option wants a number: " + error.getMessage());
            System.exit(2);
        } catch (NoSuchFileException error) {
            System.err.println("there is no file " + error.getMessage());
            System.exit(1);
        } catch (IOException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }

    private void parse(String[] arguments) throws IOException {
        List<String> rest = new ArrayList<>(Arrays.asList(arguments));
        while (!rest.isEmpty()) {
            String argument = rest.remove(0);
            switch (argument) {
                case "--out" -> out = Path.of(value(argument, rest));
                case "--algorithms" -> algorithms =
                        Stream.of(value(argument, rest).split(",")).filter(Learners.NAMES::contains).toList();
                case "--tests" -> tests = Stream.of(value(argument, rest).split(",")).map(Main::tests).toList();
                case "--seeds" -> seeds = Stream.of(value(argument, rest).split(",")).map(Long::valueOf).toList();
                case "--max-symbols" -> maxSymbols = Long.parseLong(value(argument, rest));
                case "--max-seconds" -> maxSeconds = Double.parseDouble(value(argument, rest));
                case "--max-transitions" -> maxTransitions = Integer.parseInt(value(argument, rest));
                case "--memory" -> memory = true;
                case "--own-cache" -> ownCache = true;
                case "--no-warm-up" -> warmUp = false;
                default -> {
                    if (argument.startsWith("--")) {
                        throw new UsageException("there is no option " + argument);
                    }
                    models.addAll(dotFiles(Path.of(argument)));
                }
            }
        }
        if (out == null || models.isEmpty()) {
            throw new UsageException("MODELS... --out FILE");
        }
    }

    private static String value(String option, List<String> rest) {
        if (rest.isEmpty()) {
            throw new UsageException(option + " needs a value");
        }
        return rest.remove(0);
    }

    private static Run.Tests tests(String title) {
        return Stream.of(Run.Tests.values()).filter(tests -> tests.title().equals(title)).findFirst()
                .orElseThrow(() -> new UsageException("there are no tests " + title));
    }

    /** A file, or what is in a folder. */
    private static List<Path> dotFiles(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(file -> file.toString().endsWith(".dot")).sorted().toList();
        }
    }

    private void run() throws IOException {
        Set<String> done = done();
        boolean warm = !warmUp;
        for (Path path : models) {
            Model model = Model.read(path);
            if (model.next.length > maxTransitions) {
                continue;
            }
            for (Run.Tests kind : tests) {
                // The perfect counterexample is the same whatever the seed.
                for (long seed : kind == Run.Tests.PERFECT ? seeds.subList(0, 1) : seeds) {
                    for (String algorithm : algorithms) {
                        List<String> key = List.of(model.suite, model.name, algorithm, kind.title(), Long.toString(seed));
                        if (done.contains(String.join(",", key))) {
                            continue;
                        }
                        if (!warm) {
                            warmUp();
                            warm = true;
                        }
                        learn(key, model, algorithm, kind, seed);
                    }
                }
            }
        }
    }

    private void learn(List<String> key, Model model, String algorithm, Run.Tests kind, long seed) throws IOException {
        Run run = Run.learn(model, algorithm, seed, settings(kind, maxSeconds), false);
        boolean isStuck = run.isStuck();
        String bytes = "";
        if (memory && run.isExact()) {
            // Once more, since collections take time.
            Run again = Run.learn(model, algorithm, seed, settings(kind, 2 * maxSeconds), true);
            isStuck = again.isStuck();
            bytes = again.isExact() ? again.peakBytes() : "";
        }
        write(key, run.fields(bytes));
        if (isStuck) {
            System.exit(GO_ON_STATUS);
        }
    }

    private Run.Settings settings(Run.Tests kind, double maxSeconds) {
        return new Run.Settings(kind, maxSymbols, maxSeconds, ownCache);
    }

    /** Until the machine that runs this has compiled what it runs. */
    private void warmUp() {
        Model model = Model.warmUp(60, 8);
        for (String algorithm : algorithms) {
            for (Run.Tests kind : tests) {
                long start = System.nanoTime();
                for (int seed = 0; (System.nanoTime() - start) * 1e-9 < WARM_UP_SECONDS; seed++) {
                    Run.learn(model, algorithm, seed, settings(kind, maxSeconds), memory && seed == 0);
                }
            }
        }
    }

    /** The runs that stand in the file. */
    private Set<String> done() throws IOException {
        Set<String> done = new HashSet<>();
        if (Files.exists(out)) {
            List<String> lines = Files.readAllLines(out);
            if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
                throw new IOException(out + " has another header; give another file");
            }
            lines.forEach(line -> done.add(String.join(",", Arrays.asList(line.split(",", KEY + 1)).subList(0, KEY))));
        } else {
            Files.writeString(out, HEADER + "\n");
        }
        return done;
    }

    private void write(List<String> key, List<String> fields) throws IOException {
        List<String> row = new ArrayList<>(key);
        row.addAll(fields);
        Files.writeString(out, String.join(",", row) + "\n", StandardOpenOption.APPEND);
    }

    private static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }
}
