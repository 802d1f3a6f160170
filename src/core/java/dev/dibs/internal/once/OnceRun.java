package dev.dibs.internal.once;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.LeaseWork;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One run of the work, from its lease to the record of its outcome.
 *
 * <p>The statement that records the outcome also ends the lease in the database. It is sent again until its effect is known: an unanswered
 * one may have taken effect, which the fence in the row shows.
 */
final class OnceRun {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final int ERROR_LENGTH = 1_000;

    private final OnceContext context;
    private final HeldLease lease;
    private final Duration pause;
    /** Whether a record was sent whose answer was lost. */
    private boolean unanswered;

    /** The pause is for a failure. */
    OnceRun(OnceContext context, HeldLease lease, Duration pause) {
        this.context = context;
        this.lease = lease;
        this.pause = pause;
    }

    <X extends Exception> void run(LeaseWork<Lease, X> work) throws X {
        try {
            work.run(lease);
        } catch (Throwable e) {
            fail(e);
            throw e;
        }
        complete();
    }

    private void complete() {
        if (lease.isClosed()) {
            return;
        }
        lease.check();
        if (!lease.closeHere()) {
            lease.check();
        }
        Boolean recorded;
        try {
            recorded = isRecorded("complete_once", params());
        } catch (SqlFailure e) {
            lease.releaseLater();
            DatabaseFailureException explained = context.instance.errors().explain(e.ofOneChange());
            throw new DatabaseFailureException(
                    "'" + lease.name() + "' was done, but that could not be recorded, so that it will be done again: "
                            + explained.getMessage(),
                    e.getCause());
        } finally {
            lease.closedThere();
        }
        context.memory.recorded(lease.name());
        if (recorded == null) {
            throw new LeaseLostException(
                    lease.name(),
                    lease.fencingToken(),
                    "a transaction that it guards still locks its row, so that its work could not be recorded and will be"
                            + " done again: end that transaction before the work returns");
        }
        if (!recorded) {
            throw new LeaseLostException(
                    lease.name(), lease.fencingToken(), "it was taken over or broken before its work was recorded");
        }
    }

    /** The exception of the work matters more than a failure here. */
    private void fail(Throwable thrown) {
        String error = String.valueOf(Strings.of(thrown, Throwable::toString));
        if (!lease.closeHere()) {
            return;
        }
        Params params = params().withFreeText("error", error, ERROR_LENGTH).with("delay", pause.toMillis());
        try {
            Boolean recorded = isRecorded("fail_once", params);
            if (recorded == null) {
                context.memory.failed(lease.name(), error, pause.toNanos());
            } else {
                context.memory.recorded(lease.name());
            }
            if (!Boolean.TRUE.equals(recorded)) {
                LOG.log(
                        Level.DEBUG,
                        () -> "The failure of " + nameForLog()
                                + " was not recorded: it was taken over, or its row is locked");
            }
        } catch (SqlFailure | RuntimeException e) {
            context.memory.failed(lease.name(), error, pause.toNanos());
            lease.releaseLater();
            LOG.log(
                    Level.WARNING,
                    "The failure of " + nameForLog() + " could not be recorded; this process does not try again for "
                            + pause.toMillis() + " ms: " + e.getMessage());
        } finally {
            lease.closedThere();
        }
    }

    private String nameForLog() {
        return "'" + Strings.escape(lease.name()) + "'";
    }

    private Params params() {
        return Params.of("name", lease.name()).with("owner", lease.owner());
    }

    /** Returns false if it is not ours any more, and null if it is, and still locked: a guarded transaction does not end. */
    private @Nullable Boolean isRecorded(String statement, Params params) throws SqlFailure {
        Boolean recorded = Retry.uninterrupted(RetryPolicy.ONCE, () -> record(statement, params));
        if (recorded == null) {
            lease.releaseLater();
        }
        return recorded;
    }

    /** Returns null if it is still ours, and locked just now. */
    private @Nullable Boolean record(String statement, Params params) throws SqlFailure {
        OnceRow row;
        try {
            if (context.send(statement, params).hit()) {
                return true;
            }
            row = context.look(lease.name());
        } catch (SqlFailure e) {
            unanswered |= e.outcome() == SqlFailure.Outcome.UNKNOWN;
            throw e;
        }
        if (row == null) {
            return false;
        }
        if (row.lease().isOwnedBy(lease.owner())) {
            return null;
        }
        return unanswered && row.lease().owner() == null && row.lease().fence() == lease.fencingToken();
    }
}
