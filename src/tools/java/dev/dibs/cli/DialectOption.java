package dev.dibs.cli;

import dev.dibs.Dialect;
import dev.dibs.DibsBuilder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The dialect, if the database's name does not show it: for a cluster, a relative of a database, or a dialect of the user's own. */
final class DialectOption {

    @Option(
            names = "--dialect",
            order = 6,
            paramLabel = "NAME|FOLDER",
            description = "Dialect that comes with dibs, or a folder of your own, with a slash in it."
                    + " Default: by the product name of the database.")
    private @Nullable String dialect;

    /** Whether the text names a folder of the user's, and not a dialect of the library. */
    static boolean isFolder(String text) {
        return text.contains("/");
    }

    void applyTo(DibsBuilder builder) {
        if (dialect != null) {
            builder.dialect(isFolder(dialect) ? Dialect.at(Path.of(dialect)) : Dialect.named(dialect));
        }
    }
}
