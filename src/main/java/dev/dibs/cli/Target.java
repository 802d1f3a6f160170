package dev.dibs.cli;

import dev.dibs.sql.Secrets;
import org.jspecify.annotations.Nullable;

/**
 * Which database, and as whom.
 *
 * @param embedded whether it is our own in the user's home
 */
record Target(String url, @Nullable String user, @Nullable String password, boolean embedded) {

    /** What may be shown of it. */
    @Override
    public String toString() {
        return Secrets.maskUrl(url) + (user == null ? "" : " as " + user);
    }
}
