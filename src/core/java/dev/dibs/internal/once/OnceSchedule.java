package dev.dibs.internal.once;

import java.time.Instant;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/** When work is due again. Schedules of the same meaning are equal. All times in milliseconds since 1970, by the database's clock. */
interface OnceSchedule {

    /** Later than every date that matters, and small enough to be added to one. */
    long NEVER = 1L << 53;

    /** When it is due after a success: after its end if it has a {@link #period}, else after its start. */
    long dueAfter(long last);

    /** The time from a success to the next due time, if the database can compute with it; else -1. */
    default long period() {
        return -1;
    }

    /** A fixed time after the last success. */
    record Every(long period) implements OnceSchedule {
        @Override
        public long dueAfter(long last) {
            return last + period;
        }
    }

    /** From a time of day on, in a zone. */
    record Daily(LocalTime time, ZoneId zone) implements OnceSchedule {
        @Override
        public long dueAfter(long last) {
            ZonedDateTime start = Instant.ofEpochMilli(last).atZone(zone);
            ZonedDateTime next = start.toLocalDate().atTime(time).atZone(zone);
            if (!next.isAfter(start)) {
                next = start.toLocalDate().plusDays(1).atTime(time).atZone(zone);
            }
            return next.toInstant().toEpochMilli();
        }
    }

    /** From a time of one day of each month on, in a zone; from the last day on, if a month is too short. */
    record Monthly(int day, LocalTime time, ZoneId zone) implements OnceSchedule {

        @Override
        public long dueAfter(long last) {
            ZonedDateTime start = Instant.ofEpochMilli(last).atZone(zone);
            // If the clocks leave out a month's last day, its work is due in the next month.
            YearMonth month = YearMonth.from(start).minusMonths(1);
            while (!dueIn(month).isAfter(start)) {
                month = month.plusMonths(1);
            }
            return dueIn(month).toInstant().toEpochMilli();
        }

        private ZonedDateTime dueIn(YearMonth month) {
            return month.atDay(Math.min(day, month.lengthOfMonth()))
                    .atTime(time)
                    .atZone(zone);
        }
    }
}
