package peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.automatalib.serialization.dot.DOTParsers;
import net.automatalib.word.Word;

/** Steps through the DOT files of a folder with LearnLib's own reader, by the words that step.py wrote beside them. */
final class StepThrough {
    private StepThrough() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        int models = 0;
        for (Path dot; Files.exists(dot = folder.resolve(models + ".dot")); models++) {
            var machine = DOTParsers.mealy().readModel(dot.toFile()).model;
            for (String line : Files.readAllLines(folder.resolve(models + ".tsv"))) {
                String[] names = line.split("\t", -1);
                List<String> inputs = new ArrayList<>();
                List<String> outputs = new ArrayList<>();
                for (int at = 0; at < names.length; at += 2) {
                    inputs.add(names[at]);
                    outputs.add(names[at + 1]);
                }
                Word<String> said = machine.computeOutput(inputs);
                if (!said.asList().equals(outputs)) {
                    throw new AssertionError(dot + ": LearnLib says " + said + " to " + inputs + ", which is " + outputs);
                }
            }
        }
        System.out.println("LearnLib steps through " + models + " models");
    }
}
