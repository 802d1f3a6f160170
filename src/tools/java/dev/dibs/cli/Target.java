package dev.dibs.cli;

import dev.dibs.internal.sql.Secrets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which database, and as whom.
 *
 * @param directory where it is, if it is our own in the user's home; else null
 */
record Target(
        String url,
        @Nullable String user,
        @Nullable String password,
        @Nullable Path directory) {

    boolean embedded() {
        return directory != null;
    }

    /** What may be shown of it. */
    @Override
    public String toString() {
        return Secrets.maskUrl(url) + (user == null ? "" : " as " + user);
    }
}
