package dev.dibs.internal.once;

import java.time.Instant;
import java.time.LocalTime;
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
}
