package dev.dibs.internal.locks;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.ThreadLock;
import dev.dibs.TimedLease;
import dev.dibs.TransactionCall;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.acquire.TransactionLock;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A lock by name, and the ways to acquire it. */
public final class DatabaseLock extends Acquisition<Lease> implements NamedLock {

    private final LockRequest lock;
    private final Function<LockRequest, Acquiring> way;
    private final Function<LockRequest, Acquiring> inTurn;

    /**
     * One way to acquire a lock, and the way that makes it fair.
     *
     * @param way how this one is acquired
     * @param inTurn how a fair one is acquired
     */
    DatabaseLock(
            Acquirer acquirer,
            LockRequest lock,
            Function<LockRequest, Acquiring> way,
            Function<LockRequest, Acquiring> inTurn,
            Duration lease) {
        super(acquirer, way.apply(lock), lease, Lease.class);
        this.lock = lock;
        this.way = way;
        this.inTurn = inTurn;
    }

    /** Looks, and acquires it if it is free. Returns null if it is busy. */
    @Nullable
    HeldLease ifFree() {
        return acquirer.askOnce(lock, lease).lease();
    }

    @Override
    public DatabaseLock leaseLength(Duration lease) {
        return new DatabaseLock(acquirer, lock, way, inTurn, Term.checkLease(lease));
    }

    @Override
    public NamedLock fair() {
        return new DatabaseLock(acquirer, lock, inTurn, inTurn, lease);
    }

    @Override
    public NamedLock holdAtLeast(Duration hold) {
        LockRequest held = lock.heldAtLeast(Term.checkHold(hold).toMillis());
        return new DatabaseLock(acquirer, held, way, inTurn, lease);
    }

    @Override
    public Acquisition<TimedLease> atMost(Duration lease) {
        return new Acquisition<>(acquirer, way.apply(lock.timed()), Term.checkTimed(lease), TimedLease.class) {
            @Override
            public Acquirable<TimedLease> leaseLength(Duration length) {
                return atMost(length);
            }

            @Override
            public String toString() {
                return "NamedLock[" + Strings.escape(name()) + ", " + Arguments.text(lease) + " at most]";
            }
        };
    }

    @Override
    public ThreadLock asLock() {
        return new DatabaseThreadLock(this);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T callInTransaction(
            DataSource dataSource, Duration wait, TransactionCall<T, X> work) throws X {
        return transactionLock().call(dataSource, checked(dataSource, wait, work), work, busy -> {
            throw notAcquired(busy, wait);
        });
    }

    @Override
    public <T, X extends Exception> Optional<T> tryCallInTransaction(
            DataSource dataSource, Duration wait, TransactionCall<T, X> work) throws X {
        return transactionLock()
                .<Optional<T>, X>call(
                        dataSource,
                        checked(dataSource, wait, work),
                        transaction ->
                                Optional.of(Objects.requireNonNull(work.call(transaction), "the work returned null")),
                        busy -> Optional.empty());
    }

    private static Duration checked(DataSource dataSource, Duration wait, TransactionCall<?, ?> work) {
        Arguments.required("data source", dataSource);
        Arguments.required("work", work);
        return Arguments.checkWait(wait);
    }

    @Override
    public boolean awaitFree(Duration wait) {
        return transactionLock().awaitFree(Arguments.checkWait(wait));
    }

    @Override
    public boolean tryGuard(Connection transaction) {
        return transactionLock().tryGuard(transaction);
    }

    /** A transaction has no place in a queue, and ends its lock with itself. */
    private TransactionLock transactionLock() {
        boolean isFair = way.equals(inTurn);
        if (isFair || lock.hold() > 0) {
            throw new IllegalStateException("'" + name() + "' is " + (isFair ? "fair" : "held back")
                    + ", which needs a lease: acquire it, and use the lease's inTransaction");
        }
        return new TransactionLock(acquirer, name());
    }

    @Override
    public String toString() {
        return "NamedLock[" + Strings.escape(name()) + "]";
    }
}
