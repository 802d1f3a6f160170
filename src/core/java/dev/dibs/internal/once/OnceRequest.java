package dev.dibs.internal.once;

import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.FreeText;
import dev.dibs.internal.sql.run.Params;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request for work that is done once a period, for one attempt: the statements of {@code once.sql}. It keeps the rows that it has read.
 *
 * <p>For one thread.
 */
final class OnceRequest implements LeaseRequest, AcquireStatement {

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
    public AcquireStatement statement() {
        return this;
    }

    @Override
    public LeaseKind kind() {
        return LeaseKind.ONCE;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key key, FreeText holder, long lease) throws SqlFailure {
        // With a calendar, only this process knows when the work is due after a success, and only the database knows
        // whether that success is the last one.
        boolean calendar = schedule.period() < 0;
        Long succeededAt = before == null ? null : before.succeededAt();
        Params params = Params.of("name", key.name())
                .with("owner", key.owner())
                .withHolder(holder)
                .with("lease", lease)
                .with("every", Math.max(0, schedule.period()))
                .with("seen", !calendar ? DOES_NOT_MATTER : succeededAt == null ? NONE : succeededAt)
                .with("due", !calendar || before == null ? 0 : before.dueAt(schedule));
        before = null;
        ours = null;
        List<OnceRow> rows = context.instance
                .database()
                .call(
                        "acquire_once",
                        params,
                        LeaseKind.timeout(lease),
                        OnceRow::read,
                        row -> !row.lease().isOwnedBy(key.owner()) && row.settles(schedule))
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
    public @Nullable AcquireOutcome look() throws SqlFailure {
        before = context.look(name);
        return before != null && before.settles(schedule) ? AcquireOutcome.busy(before.lease(), kind()) : null;
    }
}
