package dev.dibs.internal.acquire;

import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.acquire.calls.LockCalls;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The request for a lock.
 *
 * @param hold how many milliseconds it stays busy at least; 0 for a plain lock
 * @param isTimed whether the lease is not renewed
 */
public record LockRequest(LockCalls calls, String name, long hold, boolean isTimed) implements LeaseRequest {

    public static final Duration LOOK_TIMEOUT = Duration.ofSeconds(10);

    public LockRequest(LockCalls calls, String name) {
        this(calls, name, 0, false);
    }

    /** The same, busy for so many milliseconds at least. */
    public LockRequest heldAtLeast(long millis) {
        return new LockRequest(calls, name, millis, isTimed);
    }

    /** The same with a lease that is not renewed. */
    public LockRequest timed() {
        return new LockRequest(calls, name, hold, true);
    }

    @Override
    public LeaseKind kind() {
        if (isTimed) {
            return LeaseKind.TIMED_LOCK;
        }
        return hold == 0 ? LeaseKind.LOCK : LeaseKind.HELD_LOCK;
    }

    @Override
    public AcquireStatement statement(Database database) {
        return calls;
    }

    @Override
    public @Nullable AcquireOutcome look(Database database) throws SqlFailure {
        return AcquireOutcome.inTheWay(LeaseKind.LOCK.look(database, name, LOOK_TIMEOUT), kind());
    }
}
