package dev.dibs.cli;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The completion for fish, for which picocli has none. */
final class FishCompletion {

    private final StringBuilder script = new StringBuilder("# The completion of dibs for fish.\ncomplete -c dibs -f\n");

    private FishCompletion() {}

    static String of(CommandSpec command) {
        FishCompletion fish = new FishCompletion();
        fish.add(command, "");
        return fish.script.toString();
    }

    /** The condition is that the words of the path were typed, and no verb after them. */
    private void add(CommandSpec command, String path) {
        String verbs = String.join(" ", command.subcommands().keySet());
        String here = typed(path) + (verbs.isEmpty() ? "true" : "not " + seen(verbs));
        command.subcommands().forEach((name, verb) -> line(here, "-a " + name, help(verb)));
        for (OptionSpec option : command.options()) {
            String names = List.of(option.names()).stream()
                    .map(name -> name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
                    .collect(Collectors.joining(" "));
            String value = option.arity().max() == 0 ? "" : " -r" + (isFile(option) ? " -F" : "");
            line(here, names + value, ManPage.sentence(option.description()));
        }
        if (command.positionalParameters().size() > 1) {
            // A command follows, or its arguments.
            script.append("complete -c dibs -n '").append(here).append("' -F\n");
        }
        for (CommandLine verb : command.subcommands().values()) {
            add(verb.getCommandSpec(), path.isEmpty() ? verb.getCommandName() : path + " " + verb.getCommandName());
        }
    }

    private static boolean isFile(OptionSpec option) {
        return List.of("JAR", "FILE", "DIR", "NAME|FOLDER").contains(option.paramLabel());
    }

    /** Whether each word of the path is there. */
    private static String typed(String path) {
        return path.isEmpty() ? "" : seen(path.replace(" ", "; and " + seen(""))) + "; and ";
    }

    /** Whether one of the words is there. */
    private static String seen(String words) {
        return "__fish_seen_subcommand_from " + words;
    }

    private static String help(CommandLine verb) {
        return ManPage.sentence(verb.getCommandSpec().usageMessage().description());
    }

    private void line(String condition, String what, String help) {
        script.append("complete -c dibs -n '")
                .append(condition)
                .append("' ")
                .append(what)
                .append(" -d '")
                .append(help.replace("\\", "\\\\").replace("'", "\\'"))
                .append("'\n");
    }
}
