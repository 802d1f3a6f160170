package dev.dibs.cli.database;

import dev.dibs.internal.sql.errors.Secrets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A database and its user.
 *
 * @param drivers jars with the driver, separated as in a class path; null if it is packed into the command
 * @param directory the directory of the embedded database in the user's home; else null
 */
public record Target(
        String url,
        @Nullable String user,
        @Nullable String password,
        @Nullable String drivers,
        @Nullable Path directory) {

    boolean embedded() {
        return directory != null;
    }

    /** Without the password. */
    @Override
    public String toString() {
        return Secrets.maskUrl(url) + (user == null ? "" : " as " + user);
    }
}
