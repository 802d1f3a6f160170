package dev.dibs.internal.once;

import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request for work that is done once a period, for one attempt: the statements of {@code once.sql}. It keeps the rows that it has read.
 *
 * <p>For one thread.
 */
final class OnceRequest implements LeaseRequest {

    private static final NamedStatement<OnceRow> ACQUIRE = NamedStatement.of(
            "acquire_once", OnceRow::read, "name", "owner", "holder", "lease", "every", "seen", "due");
    private static final long NONE = -1;
    private static final long DOES_NOT_MATTER = -2;

    private final OnceContext context;
    private final String name;
    private final OnceSchedule schedule;
    private @Nullable OnceRow before;
    private @Nullable OnceRow ours;

    OnceRequest(OnceContext context, String name, OnceSchedule schedule) {
        this.context = context;
        this.name = name;
        this.schedule = schedule;
    }

    @Override
    public AcquireStatement statement(Database database) {
        return (key, holder, lease) -> acquire(database, key, holder, lease);
    }

    @Override
    public LeaseKind kind() {
        return LeaseKind.ONCE;
    }

    @Override
    public String name() {
        return name;
    }

    private List<LeaseRow> acquire(Database database, LeaseKeys.Key key, Label holder, long lease) throws SqlFailure {
        // With a calendar, only this process knows when the work is due after a success, and only the database knows
        // whether that success is the last one.
        boolean calendar = schedule.period() < 0;
        Long succeededAt = before == null ? null : before.succeededAt();
        long seen = !calendar ? DOES_NOT_MATTER : succeededAt == null ? NONE : succeededAt;
        long due = !calendar || before == null ? 0 : before.dueAt(schedule);
        long every = Math.max(0, schedule.period());
        before = null;
        ours = null;
        NamedStatement<OnceRow> acquire =
                ACQUIRE.stopsWhen((row, values) -> !row.lease().isOwnedBy(key.owner()) && row.settles(schedule));
        List<OnceRow> rows = database.call(
                        acquire, LeaseKind.timeout(lease), name, key.owner(), holder, lease, every, seen, due)
                .rows();
        for (OnceRow row : rows) {
            if (row.lease().isOwnedBy(key.owner())) {
                ours = row;
            } else if (before == null) {
                before = row;
            }
        }
        return rows.stream().map(OnceRow::lease).toList();
    }

    /** The row of another holder, or as it was before it was ours; null if there was none. */
    @Nullable
    OnceRow before() {
        return before;
    }

    /** The failures since the last success, when it became ours. */
    long failures() {
        return ours == null ? 0 : ours.failures();
    }

    @Override
    public @Nullable AcquireOutcome look(Database database) throws SqlFailure {
        before = context.look(name);
        return before != null && before.settles(schedule) ? AcquireOutcome.busy(before.lease(), kind()) : null;
    }
}
