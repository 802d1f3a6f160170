package dev.dibs.cli;

import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the completion for a shell. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Prints the script by which a shell completes verbs and options.",
            "",
            "  bash, zsh:  source <(dibs completion bash)",
            "  fish:       dibs completion fish | source",
            ""
        })
final class CompletionCommand implements Callable<Integer> {

    /** The shells that can complete. */
    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
    private Shell shell = Shell.BASH;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(script(shell));
        spec.commandLine().getOut().flush();
        return ExitCode.OK;
    }

    /** The script for all verbs. The one for bash is for zsh, too. */
    static String script(Shell shell) {
        return shell == Shell.FISH
                ? FishCompletion.of(Main.allVerbs().getCommandSpec())
                : AutoComplete.bash("dibs", Main.allVerbs());
    }
}
