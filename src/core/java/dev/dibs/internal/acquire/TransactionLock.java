package dev.dibs.internal.acquire;

import dev.dibs.DatabaseFailureException;
import dev.dibs.TransactionCall;
import dev.dibs.internal.lease.GuardedTransactions;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.NamedStatement;
import dev.dibs.internal.transaction.JoinedTransaction;
import dev.dibs.internal.transaction.OwnTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A lock for one transaction: its first statement locks the lock's own row, if no lease has it. It excludes leases and is excluded by them,
 * and ends with the transaction. Nothing is renewed, released or counted up.
 *
 * <p>A wait holds no connection: the transaction is rolled back, and another one begins.
 */
public record TransactionLock(Acquirer parts, String name) {

    private static final NamedStatement<Row> GUARD = NamedStatement.of(
            "guard_free_lock", row -> new Row(row.getLong("is_old") != 0, row.getString("owner") != null), "name");
    private static final NamedStatement<Boolean> TAKE = NamedStatement.of("take_expired_lock", "name");

    /** Longer than any wait for a row that is locked by a short transaction. */
    private static final Duration USUAL = Duration.ofSeconds(10);

    /**
     * The row that is locked.
     *
     * @param isOld whether the transaction may see a time before that
     * @param hasOwner whether a lease has expired on it
     */
    private record Row(boolean isOld, boolean hasOwner) {}

    private LeaseName room() {
        return new LeaseName(LeaseKind.LOCK, name);
    }

    /**
     * Runs the work in a transaction that has the lock.
     *
     * @param refused makes the answer if it was busy for the whole wait
     */
    public <T extends @Nullable Object, X extends Exception> T call(
            DataSource dataSource, Duration wait, TransactionCall<T, X> work, Function<AcquireOutcome, T> refused)
            throws X {
        Object here = transactions().enter(name, name);
        try {
            Patience patience = new Patience(parts.clock, RetryPolicy.acquire(wait, USUAL));
            Asked asked;
            try {
                asked = ask(dataSource, patience, false);
                if (asked.begun == null && !patience.isOver()) {
                    asked = await(asked.busy(), dataSource, patience);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw AcquireLoop.interrupted(name);
            }
            if (asked.begun == null) {
                AcquireOutcome busy = asked.busy();
                parts.events.busy(name, busy::holder);
                return refused.apply(busy);
            }
            try (OwnTransaction own = asked.begun) {
                return transactions().call(name, own, work);
            } finally {
                parts.waiting.released(room());
            }
        } finally {
            transactions().leave(here);
        }
    }

    private GuardedTransactions transactions() {
        return parts.keeper.transactions();
    }

    /** The answer: a transaction that has the lock, or what is in the way. */
    private record Asked(
            @Nullable OwnTransaction begun, @Nullable AcquireOutcome inTheWay) {

        AcquireOutcome busy() {
            return inTheWay == null ? AcquireOutcome.outOfTurn() : inTheWay;
        }
    }

    private Asked await(AcquireOutcome first, DataSource dataSource, Patience patience) throws InterruptedException {
        try (WaitingRooms.Place place = parts.waiting.enter(room());
                Pauses pauses = new Pauses(place, parts.wakeups, room(), true)) {
            Asked asked = new Asked(null, first);
            SelfWait self = parts.selfWait(patience, LeaseKind.LOCK, name);
            while (!place.awaitFront(self.remainingNanos())) {
                if (!self.warn()) {
                    return asked;
                }
            }
            while (asked.begun == null && !patience.isOver()) {
                boolean released = pauses.sleep(asked.busy(), self.remainingNanos());
                self.warn();
                asked = ask(dataSource, patience, !released);
            }
            return asked;
        }
    }

    /** Where it looks first, a row that is held is not touched: the transaction might lock it, and its holder could not renew. */
    private Asked ask(DataSource dataSource, Patience patience, boolean looks) throws InterruptedException {
        while (true) {
            AcquireOutcome busy = looks ? inTheWay(patience) : null;
            if (busy == null || busy.isLocked()) {
                OwnTransaction begun = begun(dataSource, patience);
                if (begun != null) {
                    return new Asked(begun, null);
                }
                busy = busy == null ? inTheWay(patience) : busy;
            }
            if (busy != null || !patience.allowsCollision()) {
                return new Asked(null, busy);
            }
        }
    }

    /** Begins a transaction; returns null, and rolls it back, if it does not get the lock. */
    private @Nullable OwnTransaction begun(DataSource dataSource, Patience patience) throws InterruptedException {
        while (true) {
            parts.requireOpen();
            // H2 would close its file.
            boolean interrupted = Thread.interrupted();
            OwnTransaction begun = null;
            boolean ours = false;
            try {
                begun = transactions().begin(name, dataSource);
                ours = guard(begun.connection());
                return ours ? begun : null;
            } catch (SqlFailure e) {
                if (!patience.allows(e)) {
                    throw parts.errors.explainGuard(name, e);
                }
            } catch (DatabaseFailureException e) {
                // It could not begin.
                if (!patience.allows(
                        parts.database.errors().notConnected("begin", Objects.requireNonNull(e.getCause())))) {
                    throw e;
                }
            } finally {
                if (begun != null && !ours) {
                    begun.close();
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            patience.pause();
        }
    }

    /** Locks the row, for the caller's transaction. */
    private boolean guard(Connection connection) throws SqlFailure {
        Call<Row> call = parts.database.callOn(connection, GUARD, name);
        for (Row row : call.rows()) {
            if (row.isOld) {
                throw old("");
            }
            if (row.hasOwner) {
                Call<Boolean> unused = parts.database.callOn(connection, TAKE, name);
            }
        }
        boolean locked = call.hit();
        if (locked) {
            parts.events.transactionLocked(name);
        }
        return locked;
    }

    private IllegalStateException old(String unless) {
        return new IllegalStateException("a transaction on '" + name + "' needs READ COMMITTED" + unless
                + ": under a higher isolation it may see a time before it got the lock. Roll back. Or acquire a lease"
                + " first, and guard this transaction by it");
    }

    /** Where the guard cannot tell. */
    private void requireNoSnapshot(Connection connection) throws SqlFailure {
        try {
            if (parts.database.hasTransaction(connection)
                    && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
                throw old(", or tryGuard as its first statement");
            }
        } catch (SQLException e) {
            throw parts.database.failed("guard_free_lock", e, connection);
        }
    }

    private @Nullable AcquireOutcome inTheWay(Patience patience) throws InterruptedException {
        try {
            Optional<AcquireOutcome> look = Retry.run(patience, this::look);
            return look == null ? null : look.orElse(null);
        } catch (SqlFailure e) {
            throw parts.errors.explainHarmless(e);
        }
    }

    /** The same for a caller who does not wait. */
    private @Nullable AcquireOutcome inTheWay() {
        try {
            Optional<AcquireOutcome> look = Retry.uninterrupted(RetryPolicy.acquire(Duration.ZERO, USUAL), this::look);
            return look == null ? null : look.orElse(null);
        } catch (SqlFailure e) {
            throw parts.errors.explainHarmless(e);
        }
    }

    /** What is in the way: a lease or, if the row is free, a transaction that has it locked. Adds the row of a new name: then nothing. */
    private Optional<AcquireOutcome> look() throws SqlFailure {
        parts.requireOpen();
        List<LeaseRow> rows = LeaseKind.LOCK.look(parts.database, name, LockRequest.LOOK_TIMEOUT);
        if (!rows.isEmpty()) {
            return Optional.of(AcquireOutcome.busy(rows.get(0), LeaseKind.LOCK));
        }
        LocksRequest.make(parts.database, name);
        parts.maintenance.purge(LeaseKind.LOCK);
        return Optional.empty();
    }

    /** Locks the row for a transaction that the caller has begun. Returns false if it is busy, or was deleted just now. */
    public boolean tryGuard(Connection connection) {
        parts.requireOpen();
        JoinedTransaction.require(connection, "tryGuard('" + name + "')", "and call it as its first statement");
        boolean locksRefusedRows = parts.database.statements().features().locksRefusedRows();
        try {
            if (locksRefusedRows) {
                requireNoSnapshot(connection);
            }
            if (locksRefusedRows || !parts.knownRows.isLikely(room())) {
                AcquireOutcome found = transactions().elsewhere(this::inTheWay);
                parts.knownRows.add(room(), Acquirer.KNOWN_MILLIS);
                if (found != null && !found.isLocked()) {
                    parts.events.busy(name, found::holder);
                    return false;
                }
            }
            if (guard(connection)) {
                return true;
            }
        } catch (SqlFailure e) {
            throw parts.errors.explainGuard(name, e);
        }
        // A row that was purged just now is added by the next call.
        parts.knownRows.remove(room());
        parts.events.busy(name, () -> null);
        return false;
    }
}
