package dev.dibs.internal.lease;

import dev.dibs.NamedLock;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A lock by name, and how it is asked for. */
public final class DatabaseLock extends Acquisition implements NamedLock {

    static final Duration LONGEST_HOLD = Duration.ofDays(1);

    private final LockRequest lock;
    private final boolean isFair;

    public DatabaseLock(Acquirer acquirer, LockRequest request, Duration lease) {
        this(acquirer, request, false, lease);
    }

    private DatabaseLock(Acquirer acquirer, LockRequest request, boolean isFair, Duration lease) {
        super(acquirer, isFair ? new FairRequest(request, null) : request, lease);
        this.lock = request;
        this.isFair = isFair;
    }

    void requireOpen() {
        acquirer().requireOpen();
    }

    @Override
    public NamedLock leaseFor(Duration lease) {
        return withLease(lease);
    }

    DatabaseLock withLease(Duration lease) {
        return new DatabaseLock(acquirer(), lock, isFair, Term.checkLease(lease));
    }

    @Override
    public NamedLock fair() {
        return new DatabaseLock(acquirer(), lock, true, lease());
    }

    @Override
    public NamedLock holdAtLeast(Duration hold) {
        Arguments.within("hold", hold, Duration.ZERO, LONGEST_HOLD);
        LockRequest held = new LockRequest(lock.calls(), name(), hold.toMillis());
        return new DatabaseLock(acquirer(), held, isFair, lease());
    }

    @Override
    public Lock asLock() {
        return new ThreadLock(this);
    }

    @Override
    public String toString() {
        return "NamedLock[" + name() + "]";
    }
}
