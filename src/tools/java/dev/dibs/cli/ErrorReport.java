package dev.dibs.cli;

import dev.dibs.DibsException;
import dev.dibs.cli.token.SecretArguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.text.KnownSecrets;
import dev.dibs.text.OneLine;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints one line on the standard error for every failure, never a stack trace, and chooses the exit code. */
final class ErrorReport implements IParameterExceptionHandler, IExecutionExceptionHandler {

    private final KnownSecrets secrets;

    ErrorReport(KnownSecrets secrets) {
        this.secrets = secrets;
    }

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        learnTokens(command, List.of(arguments));
        String what = e instanceof UnmatchedArgumentException unmatched ? unmatched(unmatched) : e.getMessage();
        report(e.getCommandLine(), what + " (see " + command + " --help)");
        return ExitCode.MISTAKE;
    }

    private void learnTokens(String command, List<String> arguments) {
        if (isAboutTokens(command)) {
            SecretArguments.learn(secrets, arguments);
        }
    }

    private static boolean isAboutTokens(String command) {
        return command.startsWith("dibs token");
    }

    /** Only the first one, without a value: the words after a mistyped option may be a password. */
    private static String unmatched(UnmatchedArgumentException e) {
        String first = e.getUnmatched().get(0);
        boolean option = first.startsWith("-");
        String shown = option ? nameOf(first) : first;
        boolean verb = !option && !e.getCommandLine().getSubcommands().isEmpty();
        List<String> guesses = e.getSuggestions();
        if (isAboutTokens(e.getCommandLine().getCommandSpec().qualifiedName()) && !SecretArguments.isHarmless(shown)) {
            return "there is a word too many, which is not shown, as it may be a token";
        }
        return "unknown " + (option ? "option" : verb ? "command" : "argument") + " '" + shown + "'"
                + (guesses.isEmpty() || !(option || verb) ? "" : "; did you mean " + String.join(", ", guesses) + "?");
    }

    /** A short option may have its value right after it, as in -psecret. */
    private static String nameOf(String option) {
        boolean isShort = option.length() > 1 && option.charAt(1) != '-';
        return isShort ? option.substring(0, option.offsetByCodePoints(0, 2)) : option.replaceFirst("(?s)=.*", "");
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine commandLine, ParseResult parsed) {
        // A code in the wrong place may have been read as a number, which the message would show.
        learnTokens(commandLine.getCommandSpec().qualifiedName(), parsed.originalArgs());
        if (e instanceof UsageError error) {
            report(commandLine, error.getMessage());
            return error.exitCode();
        }
        if (e instanceof DibsException || e instanceof IllegalArgumentException) {
            report(commandLine, String.valueOf(e.getMessage()));
            return ExitCode.MISTAKE;
        }
        report(commandLine, "this should not have happened; please report it: " + e);
        return ExitCode.DEFECT;
    }

    private void report(CommandLine commandLine, String text) {
        commandLine.getErr().println("dibs: " + OneLine.message(secrets.mask(text)));
    }
}
