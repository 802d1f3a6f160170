package dev.dibs.internal.locks;

import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.acquire.PermitRequest;
import dev.dibs.internal.acquire.PlainAcquire;
import dev.dibs.internal.acquire.calls.LockCalls;
import dev.dibs.internal.schema.CapabilityPart;
import dev.dibs.internal.schema.Checks;
import dev.dibs.internal.schema.DatabaseClock;
import dev.dibs.internal.schema.LockTrial;
import dev.dibs.internal.schema.TablesThere;
import dev.dibs.internal.time.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** All that can be acquired through one Dibs. Names have been checked. Safe for use by any thread. */
public final class Locks implements CapabilityPart {

    private final LockCalls calls;
    private final Function<LockRequest, Acquiring> plain;
    private final Function<LockRequest, Acquiring> inTurn;
    private final Acquirer acquirer;
    /** All that is held, by any process. */
    public final LockRegister register;

    private final Duration lease;
    private final Set<RunningCandidacy> candidates = ConcurrentHashMap.newKeySet();

    /**
     * For one instance.
     *
     * @param inTurn the way to acquire a fair lock
     * @param lease how long a lease lasts without a renewal, unless another length is asked for
     */
    public Locks(
            LockCalls calls,
            Function<LockRequest, Acquiring> inTurn,
            Acquirer acquirer,
            LockRegister register,
            Duration lease) {
        this.calls = calls;
        this.plain = lock -> new PlainAcquire(acquirer, lock);
        this.inTurn = inTurn;
        this.acquirer = acquirer;
        this.register = register;
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

    @Override
    public void tryOut(Checks checks, TablesThere there) {
        if (there.isEmpty() || there.capabilities().contains("locks")) {
            checks.add("trial lock", new LockTrial(register.context().database())::finding);
        }
    }

    @Override
    public void lookAhead(Checks checks, TablesThere there, DatabaseClock clock) {
        if (there.capabilities().contains("locks")) {
            checks.addAll("times ahead", () -> clock.leasesAhead(register.allLeases()));
        }
    }

    /** All candidates for a leadership step down. */
    @Override
    public void close(Duration patience) {
        RunningCandidacy.closeAll(candidates, Deadline.in(patience.dividedBy(2)));
    }
}
