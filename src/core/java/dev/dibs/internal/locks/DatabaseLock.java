package dev.dibs.internal.locks;

import dev.dibs.NamedLock;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Texts;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A lock by name, and the ways to acquire it. */
public final class DatabaseLock extends Acquisition implements NamedLock {

    static final Duration LONGEST_HOLD = Duration.ofDays(1);

    private final LockRequest lock;
    private final InTurn inTurn;
    private final boolean isFair;

    DatabaseLock(Acquirer acquirer, LockRequest request, InTurn inTurn, Duration lease) {
        this(acquirer, request, inTurn, false, lease);
    }

    private DatabaseLock(Acquirer acquirer, LockRequest lock, InTurn inTurn, boolean isFair, Duration lease) {
        super(acquirer, isFair ? inTurn.of(lock) : lock, lease);
        this.lock = lock;
        this.inTurn = inTurn;
        this.isFair = isFair;
    }

    void requireOpen() {
        acquirer().requireOpen();
    }

    @Override
    public NamedLock lease(Duration lease) {
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
        Arguments.within("hold", hold, Duration.ZERO, LONGEST_HOLD);
        LockRequest held = new LockRequest(lock.database(), lock.calls(), name(), hold.toMillis());
        return new DatabaseLock(acquirer(), held, inTurn, isFair, lease());
    }

    @Override
    public Lock asLock() {
        return new ThreadLock(this);
    }

    @Override
    public String toString() {
        return "NamedLock[" + Texts.escape(name()) + "]";
    }
}
