package dev.dibs.internal.claims.store;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Sends what a {@link RowClaimer} does before its first claim. */
public record Opening(Database database, Errors errors) {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** A failure is that of the claims, if they need it. */
    void send(String what, boolean isNeeded, Steps<?> steps) {
        try {
            database.run(steps, TIMEOUT, Retry::rest);
        } catch (SqlFailure e) {
            if (isNeeded) {
                throw errors.explain(e);
            }
            errors.log(what + " failed", e);
        }
    }

    /** For claims per key: a completion that is rolled back must not let the next row of its key go ahead. */
    void requireCommittedReads() {
        try (Connection connection = database.borrow("isolation")) {
            if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED
                    && !database.statements().features().needsReadCommitted()) {
                throw new DatabaseFailureException(
                        "perKey(..) needs connections that do not read uncommitted rows: set their isolation to READ"
                                + " COMMITTED or a higher one");
            }
        } catch (SQLException | SqlFailure e) {
            errors.log("The isolation could not be read", e);
        }
    }
}
