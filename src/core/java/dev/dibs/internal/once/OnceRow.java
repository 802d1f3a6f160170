package dev.dibs.internal.once;

import dev.dibs.LeaseInfo;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.internal.values.Strings;
import dev.dibs.once.OnceInfo;
import dev.dibs.once.OnceOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row of the table {@code once} as a statement returned it; times in milliseconds since 1970 by the database's clock. */
record OnceRow(
        LeaseRow lease,
        @Nullable Long succeededAt,
        long retryAt,
        long failures,
        @Nullable Long failedAt,
        @Nullable String error,
        @Nullable Long duration) {

    static OnceRow read(ResultSet row) throws SQLException {
        return new OnceRow(
                LeaseRow.read(row),
                RowReader.number(row, "succeeded_at"),
                row.getLong("retry_at"),
                row.getLong("failures"),
                RowReader.number(row, "failed_at"),
                row.getString("error"),
                RowReader.number(row, "duration_ms"));
    }

    /** How long until it is due, in milliseconds; zero or less if it is. */
    long dueIn(OnceSchedule schedule) {
        return Math.max(dueAt(schedule), retryAt) - lease.readAt();
    }

    /**
     * When it is due; 0 if it was never done. With a calendar the start of the last success counts: work that began in the period before,
     * and ended in this one, is not this period's.
     */
    long dueAt(OnceSchedule schedule) {
        if (succeededAt == null) {
            return 0;
        }
        boolean calendar = schedule.period() < 0;
        return schedule.dueAfter(calendar && duration != null ? succeededAt - Math.max(0, duration) : succeededAt);
    }

    /** Whether the other steps need not be sent. */
    boolean settles(OnceSchedule schedule) {
        return lease.isHeld() || dueIn(schedule) > 0;
    }

    /** The outcome for a caller that did not get it. */
    OnceOutcome outcome(OnceSchedule schedule) {
        if (lease.isHeld() || dueIn(schedule) <= 0) {
            return OnceOutcome.BUSY;
        }
        return dueAt(schedule) > lease.readAt() ? OnceOutcome.NOT_DUE : OnceOutcome.FAILED;
    }

    /** The last failure, for people. */
    String failure() {
        return "It failed at " + (failedAt == null ? "an unknown time" : Instant.ofEpochMilli(failedAt)) + " ("
                + Strings.orEmpty(error) + ") and is tried again from " + Instant.ofEpochMilli(retryAt) + " on";
    }

    /** What users see of a row. */
    private record Info(
            String name,
            Optional<LeaseInfo> running,
            String holder,
            Optional<Instant> lastSuccess,
            Optional<Instant> lastFailure,
            String error,
            long failures,
            Optional<Instant> retryAt,
            Optional<Duration> lastDuration)
            implements OnceInfo {

        @Override
        public String toString() {
            return "OnceInfo[" + Strings.escape(name) + "]";
        }
    }

    OnceInfo info() {
        return new Info(
                lease.name(),
                lease.isHeld() ? Optional.of(lease.info(LeaseKind.ONCE)) : Optional.empty(),
                Strings.orEmpty(lease.holder()),
                Optional.ofNullable(succeededAt).map(Instant::ofEpochMilli),
                Optional.ofNullable(failedAt).map(Instant::ofEpochMilli),
                Strings.orEmpty(error),
                failures,
                retryAt == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(retryAt)),
                Optional.ofNullable(duration).map(Duration::ofMillis));
    }
}
