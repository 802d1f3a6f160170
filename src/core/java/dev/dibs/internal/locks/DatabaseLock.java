package dev.dibs.internal.locks;

import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.ThreadLock;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.acquire.PlainAcquire;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Texts;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock by name, and the ways to acquire it. */
public final class DatabaseLock extends Acquisition<Lease> implements NamedLock {

    private final LockRequest lock;
    private final Function<LockRequest, Acquiring> inTurn;
    private final boolean isFair;

    DatabaseLock(
            Acquirer acquirer,
            LockRequest lock,
            Function<LockRequest, Acquiring> inTurn,
            boolean isFair,
            Duration lease) {
        super(acquirer, isFair ? inTurn.apply(lock) : new PlainAcquire(acquirer, lock), lease, Lease.class);
        this.lock = lock;
        this.inTurn = inTurn;
        this.isFair = isFair;
    }

    /** Looks, and acquires it if it is free. Returns null if it is busy. */
    @Nullable
    HeldLease ifFree() {
        return acquirer().askOnce(lock, lease()).lease();
    }

    void requireOpen() {
        acquirer().requireOpen();
    }

    @Override
    public NamedLock leaseLength(Duration lease) {
        return withLease(lease);
    }

    DatabaseLock withLease(Duration lease) {
        return new DatabaseLock(acquirer(), lock, inTurn, isFair, Term.checkLease(lease));
    }

    @Override
    public NamedLock fair() {
        return new DatabaseLock(acquirer(), lock, inTurn, true, lease());
    }

    @Override
    public NamedLock holdAtLeast(Duration hold) {
        LockRequest held = lock.heldAtLeast(Term.checkHold(hold).toMillis());
        return new DatabaseLock(acquirer(), held, inTurn, isFair, lease());
    }

    @Override
    public TimedAcquisition atMost(Duration lease) {
        LockRequest timed = lock.timed();
        Acquiring way = isFair ? inTurn.apply(timed) : new PlainAcquire(acquirer(), timed);
        return new TimedAcquisition(acquirer(), way, Term.checkTimed(lease));
    }

    @Override
    public ThreadLock asLock() {
        return new DatabaseThreadLock(this);
    }

    @Override
    public String toString() {
        return "NamedLock[" + Texts.escape(name()) + "]";
    }
}
