package dev.dibs.internal.lease;

import dev.dibs.internal.sql.SqlFailure;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is asked for.
 *
 * @param hold how many milliseconds it stays busy at least; 0 for a plain lock
 */
public record LockRequest(LockCalls calls, String name, long hold) implements LeaseRequest {

    static final Duration LOOK_TIMEOUT = Duration.ofSeconds(10);

    public LockRequest(LockCalls calls, String name) {
        this(calls, name, 0);
    }

    @Override
    public LockRequest alone() {
        return new LockRequest(calls.direct(), name, hold);
    }

    @Override
    public LeaseKind kind() {
        return hold == 0 ? LeaseKind.LOCK : LeaseKind.HELD_LOCK;
    }

    @Override
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        return calls.acquire(name, owner, holder, Math.max(lease, hold), false);
    }

    @Override
    public boolean mayRetake() {
        return calls.takeFreed(name);
    }

    @Override
    public List<LeaseRow> retake(String owner, String holder, long lease) throws SqlFailure {
        return calls.acquire(name, owner, holder, Math.max(lease, hold), true);
    }

    @Override
    public @Nullable Attempt look() throws SqlFailure {
        List<LeaseRow> rows = LeaseKind.LOCK.look(calls.database(), name, LOOK_TIMEOUT);
        return rows.isEmpty() ? null : Attempt.inTheWay(rows.get(0));
    }

    @Override
    public boolean hasSteps() {
        return LeaseKind.LOCK.hasSteps(calls.database());
    }
}
