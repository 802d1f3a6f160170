package dev.dibs.internal.runs;

import dev.dibs.DibsException;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Steps;
import dev.dibs.internal.values.Texts;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Batches in a row of which one worker has lost every row. One may be an accident; if it happens again and again, something else changes
 * the claims, and the rows would be worked on for ever.
 *
 * <p>For one worker's thread.
 */
final class RunLosses<T> {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** From this one on they are told, and their rows count as failed attempts. */
    private static final int FIRST_TOLD = 2;

    private final RunTable table;
    private final ClaimEngine<T> claims;
    private final Errors errors;
    private final RunCounters counters;
    private final RunFailures<T> failures;
    private final String label;
    private @Nullable HeldClaim<T> batch;
    private RunTable.Sum before;
    private int inARow;
    private @Nullable DibsException last;

    RunLosses(RunOptions<T> options, RunCounters counters, RunFailures<T> failures, String label) {
        this.table = options.table;
        this.claims = options.claims;
        this.errors = options.context.errors();
        this.counters = counters;
        this.failures = failures;
        this.label = label;
        this.before = counters.known();
    }

    /** No row of a claim is done yet. */
    void begin() {
        batch = null;
        before = counters.known();
    }

    /** All rows of the claim were worked on, or found lost. */
    void worked(HeldClaim<T> claim) {
        batch = claim;
    }

    /** The rows that could be completed are. */
    void settled() {
        HeldClaim<T> claim = batch;
        batch = null;
        if (claim == null) {
            return;
        }
        if (!counters.known().equals(before) || failures.hasPostponed(claim)) {
            inARow = 0;
            return;
        }
        inARow++;
        if (inARow >= FIRST_TOLD) {
            tell(claim);
        }
    }

    private void tell(HeldClaim<T> claim) {
        last = new DibsException(
                "every row was lost in " + inARow + " batches in a row, before it could be completed; the last ones: "
                        + claim.keys() + ". Something else ends the claims: a program that writes to their columns, a"
                        + " lease that is too short, or a database that is often away",
                null);
        LOG.log(Level.WARNING, "Run '" + Texts.escape(table.name()) + "': " + Texts.oneLine(last.getMessage()));
        try {
            claims.run(Steps.of(List.of(table.recording(label, last), counters.counting(0, claim.size())), List::of));
            counters.answered(0, claim.size());
        } catch (SqlFailure e) {
            counters.failed(e);
            errors.log("Lost rows could not be counted", e);
        }
    }

    /** Why the worker has to end; null if it may go on. */
    @Nullable
    DibsException tooMany() {
        return inARow < RetryPolicy.RUN_LOSSES ? null : last;
    }
}
