package dev.dibs.internal.once;

import dev.dibs.internal.lease.Attempt;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRequest;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How something that is done once a period is asked for, once: the statements of {@code once.sql}. It keeps the rows that it saw.
 *
 * <p>For one thread.
 */
final class OnceRequest implements LeaseRequest {

    private static final long NONE = -1;
    private static final long DOES_NOT_MATTER = -2;

    private final Database database;
    private final String name;
    private final OnceSchedule schedule;
    private final long seen;
    private final long due;
    private @Nullable OnceRow before;
    private @Nullable OnceRow ours;

    /**
     * To be asked.
     *
     * @param succeededAt the last success that the caller knows of, from which it has computed what is due; null if there is none. The
     *     database needs it only for a schedule that is a calendar
     */
    OnceRequest(Database database, String name, OnceSchedule schedule, @Nullable Long succeededAt) {
        this.database = database;
        this.name = name;
        this.schedule = schedule;
        boolean calendar = schedule.period() < 0;
        this.seen = !calendar ? DOES_NOT_MATTER : succeededAt == null ? NONE : succeededAt;
        this.due = !calendar || succeededAt == null ? 0 : schedule.dueAfter(succeededAt);
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
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        before = null;
        ours = null;
        Params params = params(owner, holder, lease)
                .with("every", Math.max(0, schedule.period()))
                .with("seen", seen)
                .with("due", due);
        List<OnceRow> rows = database.call(
                        "acquire_once",
                        params,
                        LeaseKind.timeout(lease),
                        OnceRow::read,
                        row -> !row.lease().isOwnedBy(owner) && row.settles(schedule))
                .rows();
        for (OnceRow row : rows) {
            if (row.lease().isOwnedBy(owner)) {
                ours = row;
            } else if (before == null) {
                before = row;
            }
        }
        return rows.stream().map(OnceRow::lease).toList();
    }

    /** The row of somebody else, or as it was before it was ours; null if there was none. */
    @Nullable
    OnceRow before() {
        return before;
    }

    /** How often it had failed in a row when it became ours. */
    long failures() {
        return ours == null ? 0 : ours.failures();
    }

    /** A check has its own memory of what is in vain. */
    @Override
    public @Nullable Attempt look() {
        return null;
    }

    @Override
    public boolean hasSteps() {
        return database.statements().hasSteps("acquire_once");
    }
}
