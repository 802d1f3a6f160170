package dev.dibs.cli.database;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.internal.sql.files.DialectFolder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The dialect, if the database's name does not show it: for a cluster, a relative of a database, or a dialect of the user's own. */
public final class DialectOption {

    @Option(
            names = "--dialect",
            order = 6,
            paramLabel = "NAME|FOLDER",
            description = "Dialect that comes with dibs, or a folder of your own, with a slash in it."
                    + " Default: DIBS_DIALECT, else by the product name of the database.")
    private @Nullable String dialect;

    /** Whether the text names a folder of the user's, and not a dialect of the library. */
    static boolean isFolder(String text) {
        return text.contains("/");
    }

    /** The folder of a dialect's files. */
    public static DialectFolder folder(String text) {
        return isFolder(text) ? DialectFolder.at(Path.of(text)) : DialectFolder.named(text);
    }

    /** The files of the dialect in use. */
    DialectFolder folder(Dibs dibs) {
        return folder(dialect == null ? dibs.dialect().name() : dialect);
    }

    void applyTo(DibsBuilder builder) {
        if (dialect != null) {
            builder.dialect(isFolder(dialect) ? Dialect.at(Path.of(dialect)) : Dialect.named(dialect));
        }
    }
}
