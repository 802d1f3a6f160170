package dev.dibs.cli;

import dev.dibs.cli.verb.Version;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the help of a verb. */
@Command(
        name = "help",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Prints the help of a command, as 'dibs VERB --help' does.", ""})
final class HelpCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "VERB", description = "As in: dibs help lock, dibs help token issue.")
    private List<String> verbs = new ArrayList<>();

    @Override
    public void run() {
        CommandLine shown = spec.parent().commandLine();
        for (String verb : verbs) {
            CommandLine next = shown.getSubcommands().get(verb);
            if (next == null) {
                throw new ParameterException(shown, "there is no command '" + String.join(" ", verbs) + "'");
            }
            shown = next;
        }
        shown.usage(spec.commandLine().getOut());
    }
}
