package dev.dibs.internal.acquire;

import dev.dibs.DatabaseFailureException;
import dev.dibs.NotAcquiredException;
import dev.dibs.TransactionCall;
import dev.dibs.internal.guarded.GuardedTransaction;
import dev.dibs.internal.guarded.JoinedTransaction;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.sql.Connection;
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
public record TransactionLock(Acquirer acquirer, String name) {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final NamedStatement<Row> GUARD = NamedStatement.of(
            "guard_free_lock", row -> new Row(row.getLong("is_old") != 0, row.getString("owner") != null), "name");
    private static final NamedStatement<Boolean> TAKE = NamedStatement.of("take_expired_lock", "name");

    /** Longer than any wait for a row that is locked by a short transaction. */
    private static final Duration USUAL = Duration.ofSeconds(10);

    private static final String FIRST =
            "Call awaitFree(..) first, before the transaction takes its connection: it adds the row of a new name";

    /** A lock that was busy a moment ago is tried out by its next waiter, since a look does not see the lock of a transaction. */
    private static final long SUSPECT_MILLIS = 1_000;

    /** Locks the row in a transaction of Dibs. */
    private interface Trial {

        /** Returns false if it is busy. */
        boolean locks() throws InterruptedException;
    }

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
        Patience patience = new Patience(acquirer.clock, RetryPolicy.acquire(wait, USUAL));
        Begin begin = new Begin(dataSource, patience);
        AcquireOutcome busy;
        try {
            busy = ask(begin, patience, false);
            if (busy != null && !patience.isOver()) {
                busy = await(busy, begin, patience);
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
        if (busy != null) {
            acquirer.events.busy(name, busy::holder);
            return refused.apply(busy);
        }
        try (GuardedTransaction own = Objects.requireNonNull(begin.begun)) {
            return own.call(work);
        } finally {
            acquirer.waiting.released(room());
        }
    }

    /**
     * Waits until the lock looks free, and adds the row of a new name. Holds no connection while it waits.
     *
     * @return false if it was busy for the whole wait
     */
    public boolean awaitFree(Duration wait) {
        acquirer.requireOpen();
        boolean isSuspect = acquirer.busyNames.isLikely(room());
        if (!isSuspect && !locksRefusedRows() && acquirer.knownRows.isLikely(room())) {
            return true;
        }
        Patience patience = new Patience(acquirer.clock, RetryPolicy.acquire(wait, USUAL));
        AcquireOutcome busy;
        try {
            AcquireOutcome found = inTheWay(patience);
            busy = found == null || found.isLocked() ? null : found;
            if (busy == null && isSuspect && patience.isOver()) {
                // A look does not see the lock of a transaction.
                busy = isUnlocked(patience) ? null : orOutOfTurn(found);
            } else if ((busy != null || isSuspect) && !patience.isOver()) {
                busy = await(orOutOfTurn(found), () -> isUnlocked(patience), patience);
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
        if (busy != null) {
            acquirer.events.busy(name, busy::holder);
            return false;
        }
        acquirer.busyNames.remove(room());
        acquirer.knownRows.add(room(), Acquirer.KNOWN_MILLIS);
        return true;
    }

    /** Tries to lock the row in a transaction that is rolled back. */
    private boolean isUnlocked(Patience patience) throws InterruptedException {
        Call<Boolean> trial =
                Call.of(acquirer.database.statements(), GUARD.name(), Params.of("name", name), row -> true);
        return Boolean.TRUE.equals(harmless(patience, () -> {
            acquirer.database.tryOut(List.of(trial), LockRequest.LOOK_TIMEOUT);
            return trial.hit();
        }));
    }

    /** Sends what does no harm if it is sent twice. */
    private <T> @Nullable T harmless(Patience patience, Retry.Call<T> call) throws InterruptedException {
        try {
            return Retry.run(patience, () -> {
                acquirer.requireOpen();
                return call.send();
            });
        } catch (SqlFailure e) {
            throw acquirer.errors.explainHarmless(e);
        }
    }

    private NotAcquiredException interrupted() {
        Thread.currentThread().interrupt();
        return AcquireLoop.interrupted(name);
    }

    private boolean locksRefusedRows() {
        return acquirer.database.statements().features().locksRefusedRows();
    }

    private static AcquireOutcome orOutOfTurn(@Nullable AcquireOutcome inTheWay) {
        return inTheWay == null ? AcquireOutcome.outOfTurn() : inTheWay;
    }

    /** Returns null if a trial has got the lock; else what was in the way. */
    private @Nullable AcquireOutcome await(AcquireOutcome first, Trial trial, Patience patience)
            throws InterruptedException {
        try (WaitingRooms.Place place = acquirer.waiting.enter(room());
                Pauses pauses = new Pauses(place, acquirer, room(), true)) {
            AcquireOutcome busy = first;
            SelfWait self = acquirer.selfWait(patience, LeaseKind.LOCK, name);
            while (!place.awaitFront(self.remainingNanos())) {
                if (!self.warn()) {
                    return busy;
                }
            }
            while (busy != null && !patience.isOver()) {
                boolean released = pauses.sleep(busy, self.remainingNanos());
                self.warn();
                busy = ask(trial, patience, !released);
            }
            return busy;
        }
    }

    /** The same at once. Where it looks first, a row that is held is not touched: else its holder might not be able to renew. */
    private @Nullable AcquireOutcome ask(Trial trial, Patience patience, boolean looks) throws InterruptedException {
        while (true) {
            AcquireOutcome busy = looks ? inTheWay(patience) : null;
            if (busy == null || busy.isLocked()) {
                if (trial.locks()) {
                    return null;
                }
                busy = busy == null ? inTheWay(patience) : busy;
            }
            if (busy != null || !patience.allowsCollision()) {
                return orOutOfTurn(busy);
            }
        }
    }

    /** Begins a transaction, which it rolls back if it does not get the lock. */
    private final class Begin implements Trial {

        private final DataSource dataSource;
        private final Patience patience;
        private @Nullable GuardedTransaction begun;

        Begin(DataSource dataSource, Patience patience) {
            this.dataSource = dataSource;
            this.patience = patience;
        }

        @Override
        public boolean locks() throws InterruptedException {
            while (true) {
                acquirer.requireOpen();
                // H2 would close its file.
                boolean interrupted = Thread.interrupted();
                boolean ours = false;
                begun = null;
                try {
                    begun = acquirer.keeper.transactions().begin(name, name, dataSource);
                    ours = guard(begun.connection());
                    return ours;
                } catch (SqlFailure e) {
                    if (!patience.allows(e)) {
                        throw acquirer.errors.explainGuard(name, e);
                    }
                } catch (DatabaseFailureException e) {
                    // It could not begin.
                    if (!patience.allows(
                            acquirer.database.errors().notConnected("begin", Objects.requireNonNull(e.getCause())))) {
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
    }

    /** Locks the row, for the caller's transaction. */
    private boolean guard(Connection connection) throws SqlFailure {
        Call<Row> call = acquirer.database.callOn(connection, GUARD, name);
        for (Row row : call.rows()) {
            if (row.isOld) {
                throw new IllegalStateException("a transaction on '" + name + "' needs READ COMMITTED: under a higher"
                        + " isolation it may see a time before it got the lock. Roll back. Or acquire a lease first, and"
                        + " guard this transaction by it");
            }
            if (row.hasOwner) {
                Call<Boolean> unused = acquirer.database.callOn(connection, TAKE, name);
            }
        }
        boolean locked = call.hit();
        if (locked) {
            acquirer.events.transactionLocked(name);
        }
        return locked;
    }

    /** What is in the way: a lease or, if the row is free, a transaction that has it locked. Adds the row of a new name: then nothing. */
    private @Nullable AcquireOutcome inTheWay(Patience patience) throws InterruptedException {
        Optional<LeaseRow> found = harmless(patience, () -> {
            List<LeaseRow> rows = LeaseKind.LOCK.look(acquirer.database, name, LockRequest.LOOK_TIMEOUT);
            if (rows.isEmpty()) {
                LeaseKind.makeLock(acquirer.database, name);
                acquirer.maintenance.purge(LeaseKind.LOCK);
            }
            return rows.stream().findFirst();
        });
        return found == null || found.isEmpty() ? null : AcquireOutcome.busy(found.get(), LeaseKind.LOCK);
    }

    /** Locks the row for a transaction that the caller has begun, on its connection alone. Returns false if it is busy, or was purged just now. */
    public boolean tryGuard(Connection connection) {
        acquirer.requireOpen();
        JoinedTransaction.require(connection, "tryGuard('" + name + "')", "and call it as its first statement");
        AcquireOutcome busy;
        try {
            // Neither the guard nor the isolation of the session tells whether its snapshot is older than the lock.
            if (locksRefusedRows() && acquirer.database.hasTransaction(connection)) {
                throw new IllegalStateException("tryGuard('" + name + "') must be the first statement of its"
                        + " transaction on this database, after setAutoCommit(false) alone: this transaction has begun,"
                        + " and may see a time before it got the lock. Roll back, and call tryGuard before anything"
                        + " else");
            }
            if (guard(connection)) {
                acquirer.knownRows.add(room(), Acquirer.KNOWN_MILLIS);
                return true;
            }
            busy = whyNot(connection);
        } catch (SqlFailure e) {
            throw acquirer.errors.explainGuard(name, e);
        }
        acquirer.busyNames.add(room(), SUSPECT_MILLIS);
        acquirer.events.busy(name, busy::holder);
        return false;
    }

    /** After a guard that found no row. If this instance has seen one, it was purged, and the background adds it again. */
    private AcquireOutcome whyNot(Connection connection) throws SqlFailure {
        boolean wasThere = acquirer.knownRows.hasSeen(room());
        // Where a look would fix the snapshot of the transaction, this cannot tell.
        boolean looks = !locksRefusedRows();
        List<LeaseRow> rows = looks ? LeaseKind.LOCK.lookOn(connection, acquirer.database, name) : List.of();
        if (!rows.isEmpty()) {
            return AcquireOutcome.busy(rows.get(0), LeaseKind.LOCK);
        }
        if (wasThere) {
            acquirer.maintenance.missed(name);
        } else if (looks) {
            throw new IllegalStateException("tryGuard: '" + name + "' has no row. Roll back. " + FIRST);
        } else if (acquirer.warned.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, Strings.oneLine("'" + name + "' is busy or has no row. " + FIRST));
        }
        return AcquireOutcome.outOfTurn();
    }
}
