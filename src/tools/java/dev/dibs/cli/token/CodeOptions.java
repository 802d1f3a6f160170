package dev.dibs.cli.token;

import dev.dibs.cli.verb.UsageError;
import dev.dibs.tokens.OneTimeTokens;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The settings that all users of the same codes share: the key, and how often a code may be tried. */
final class CodeOptions {

    private static final int LARGEST_PEPPER = 4096;

    @Option(
            names = "--pepper-file",
            paramLabel = "FILE",
            description =
                    "The key for codes and for tokens under an id: all bytes of the file, 16 at least, a line's end"
                            + " included. The programs' pepper(byte[]) must be the same.")
    private @Nullable Path pepperFile;

    @Option(
            names = "--max-attempts",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "Codes: how many wrong ones a subject may give in a window, from 1 to 100. Default: ${DEFAULT-VALUE}")
    private int tries;

    @Option(
            names = "--window",
            paramLabel = "DURATION",
            defaultValue = "15m",
            description = "Codes: how long the wrong ones count. Default: ${DEFAULT-VALUE}")
    private Duration window;

    OneTimeTokens applyTo(OneTimeTokens tokens) {
        OneTimeTokens counted = tokens.maxAttempts(tries, window);
        return pepperFile == null ? counted : counted.pepper(read(pepperFile));
    }

    /** The same, if there is a key. */
    OneTimeTokens applyTo(OneTimeTokens tokens, String what) {
        if (pepperFile == null) {
            throw new UsageError(what + " needs a key that is not in the database: add --pepper-file");
        }
        return applyTo(tokens);
    }

    /** It may be a pipe, so its size is not known before. */
    private static byte[] read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LARGEST_PEPPER + 1);
            if (bytes.length > LARGEST_PEPPER) {
                throw new UsageError(
                        "--pepper-file " + file + " has more than " + LARGEST_PEPPER + " bytes: is it the key?");
            }
            return bytes;
        } catch (IOException e) {
            throw new UsageError(
                    "--pepper-file " + file + " cannot be read: " + e.getClass().getSimpleName());
        }
    }
}
