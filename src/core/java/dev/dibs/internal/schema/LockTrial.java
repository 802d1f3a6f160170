package dev.dibs.internal.schema;

import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.OwnerToken;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Acquires, renews, releases and deletes a lock of a random name, by the statements alone: no listener, counter or waiter notices it. So it
 * finds problems that a look at the settings does not, such as a character set that cannot carry names.
 */
public record LockTrial(Database database) {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String SUBJECT = "trial lock";
    private static final String ACQUIRE = Statements.nameFor("lock", "acquire_lease");
    private static final String RENEW = Statements.nameFor("lock", "renew_leases");
    private static final String RELEASE = Statements.nameFor("lock", "release_lease");

    /** Quotes, a backslash, and letters of several alphabets. */
    private static final String LETTERS = " ' \" \\ \u0142 \u20ac \u6f22 \ud83d\ude80";

    public Finding finding() {
        try {
            return Objects.requireNonNull(
                    Retry.uninterrupted(RetryPolicy.TRIAL, () -> tried("dibs doctor " + OwnerToken.next() + LETTERS)));
        } catch (SqlFailure e) {
            return error(
                    e.statement() + " failed: " + Secrets.masked(e.getCause()),
                    "The message names the reason; see also the findings on settings");
        }
    }

    private Finding tried(String name) throws SqlFailure {
        String owner = OwnerToken.next();
        Params params = Params.of("name", name)
                .with("owner", owner)
                .with("lease", TIMEOUT.toMillis())
                .withPairs(List.of(name), List.of(owner));
        NamedStatement<String> acquire = NamedStatement.of(
                        ACQUIRE,
                        row -> owner.equals(row.getString("owner")) ? row.getString("name") : "",
                        "name",
                        "owner",
                        "holder",
                        "lease")
                .stopsWhen((found, values) -> !found.isEmpty());
        List<String> acquired = database.call(acquire, TIMEOUT, name, owner, "dibs doctor", TIMEOUT.toMillis())
                .rows();
        try {
            if (!acquired.contains(name)) {
                return error(
                        "a name comes back changed: " + name + " as " + acquired,
                        "Use Unicode for the texts of the connection, such as characterEncoding=UTF-8 in the url");
            }
            boolean renewed = database.call(RENEW, params, TIMEOUT, row -> row.getString("owner"))
                    .rows()
                    .contains(owner);
            boolean released = database.call(RELEASE, params, TIMEOUT).hit();
            return renewed && released
                    ? Checks.ok(SUBJECT, "acquired, renewed and released")
                    : error(
                            "it was acquired, but not " + (renewed ? "released" : "renewed"),
                            "See the findings on settings, and the settings of the connection");
        } finally {
            database.call(RELEASE, params, TIMEOUT);
            database.call("delete_lock", params, TIMEOUT);
        }
    }

    private static Finding error(String message, String remedy) {
        return new Finding(Level.ERROR, SUBJECT, message, remedy);
    }
}
