package dev.dibs.cli;

import dev.dibs.Dialect;
import dev.dibs.DibsBuilder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which statements, where the database's name does not tell: for a cluster, a relative, or a dialect of the user's own. */
final class DialectOption {

    @Option(
            names = "--dialect",
            order = 6,
            paramLabel = "NAME|FOLDER",
            description = "Dialect that comes with dibs, or a folder of your own, with a slash in it."
                    + " Default: by what the database says that it is.")
    private @Nullable String dialect;

    /** Whether the text names a folder of the user's, and not a dialect that comes with dibs. */
    static boolean isFolder(String text) {
        return text.contains("/");
    }

    void applyTo(DibsBuilder builder) {
        if (dialect != null) {
            builder.dialect(isFolder(dialect) ? Dialect.at(Path.of(dialect)) : Dialect.named(dialect));
        }
    }
}
