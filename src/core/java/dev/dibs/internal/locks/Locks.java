package dev.dibs.internal.locks;

import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.acquire.PermitRequest;
import dev.dibs.internal.acquire.PlainAcquire;
import dev.dibs.internal.acquire.calls.LockCalls;
import dev.dibs.internal.time.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** All that can be acquired through one Dibs. Names have been checked. Safe for use by any thread. */
public final class Locks {

    private final LockCalls calls;
    private final Function<LockRequest, Acquiring> plain;
    private final Function<LockRequest, Acquiring> inTurn;
    private final Acquirer acquirer;
    private final Duration lease;
    private final Set<RunningCandidacy> candidates = ConcurrentHashMap.newKeySet();

    /**
     * For one instance.
     *
     * @param inTurn the way to acquire a fair lock
     * @param lease how long a lease lasts without a renewal, unless another length is asked for
     */
    public Locks(LockCalls calls, Function<LockRequest, Acquiring> inTurn, Acquirer acquirer, Duration lease) {
        this.calls = calls;
        this.plain = lock -> new PlainAcquire(acquirer, lock);
        this.inTurn = inTurn;
        this.acquirer = acquirer;
        this.lease = lease;
    }

    public DatabaseLock lock(String name) {
        return new DatabaseLock(acquirer, new LockRequest(calls, name), plain, inTurn, lease);
    }

    /** Several locks at once. */
    public DatabaseLocks all(Collection<String> names) {
        return DatabaseLocks.of(acquirer, names, lease);
    }

    public LockLeadership leadership(String name) {
        return new LockLeadership(lock(name), candidates, lease -> {}, lease -> {});
    }

    public DatabaseReadWriteLock readWrite(String name) {
        return new DatabaseReadWriteLock(acquirer, name, lease);
    }

    /** A semaphore with so many permits. */
    public DatabaseSemaphore semaphore(String name, int permits) {
        long count = DatabaseSemaphore.checkPermits(permits);
        return new DatabaseSemaphore(
                acquirer, new PlainAcquire(acquirer, new PermitRequest(name, count)), lease, permits);
    }

    /** All candidates for a leadership step down. */
    public void closeCandidates(Deadline deadline) {
        RunningCandidacy.closeAll(candidates, deadline);
    }
}
