package dev.dibs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Writes what the archive of the command has besides the jar and the launcher. The build runs it. */
final class Extras {

    private Extras() {}

    /** Writes completions and manual pages into the folder that the argument names. */
    public static void main(String[] arguments) throws IOException {
        Path share = Path.of(arguments[0]);
        write(
                share.resolve("bash-completion/completions/dibs"),
                CompletionCommand.script(CompletionCommand.Shell.BASH));
        write(
                share.resolve("zsh/site-functions/_dibs"),
                "#compdef dibs\n" + CompletionCommand.script(CompletionCommand.Shell.ZSH) + "_complete_dibs\n");
        write(
                share.resolve("fish/vendor_completions.d/dibs.fish"),
                CompletionCommand.script(CompletionCommand.Shell.FISH));
        pages(share.resolve("man/man1"), Main.allVerbs().getCommandSpec());
    }

    private static void pages(Path folder, CommandSpec command) throws IOException {
        write(folder.resolve(ManPage.name(command) + ".1"), ManPage.of(command));
        for (CommandLine verb : command.subcommands().values()) {
            pages(folder, verb.getCommandSpec());
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
