package dev.dibs.cli.process;

import dev.dibs.cli.verb.Arguments;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command after the two dashes. */
public final class CommandToRun {

    private CommandToRun() {}

    /**
     * The words of the command to run.
     *
     * @param parsed the words that picocli found, which must be the same
     */
    public static List<String> after(CommandSpec spec, @Nullable List<String> parsed) {
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        int dashes = words.indexOf("--");
        List<String> after = dashes < 0 ? List.of() : words.subList(dashes + 1, words.size());
        if (after.isEmpty() || after.get(0).isEmpty()) {
            throw mistake(
                    spec,
                    "there is nothing to run; put the command after two dashes, as in: dibs " + spec.name()
                            + (spec.positionalParameters().size() > 1 ? " NAME" : "") + " -- CMD ARGS");
        }
        if (!after.equals(parsed)) {
            throw mistake(spec, "between the name and the two dashes there are only options");
        }
        after.forEach(word -> Arguments.readable("word", word));
        return after;
    }

    private static ParameterException mistake(CommandSpec spec, String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
