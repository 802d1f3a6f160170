package dev.dibs.internal.once;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/** When something is due again. Two that mean the same are equal. All times in milliseconds since 1970, by the database's clock. */
interface OnceSchedule {

    /** Beyond every date that matters, and small enough to be added to one. */
    long NEVER = 1L << 53;

    /** When it is due after a success. */
    long dueAfter(long succeededAt);

    /** How long after a success it is due, if the database can tell that by itself; else -1. */
    default long period() {
        return -1;
    }

    /** So long after the last success. */
    record Every(long period) implements OnceSchedule {
        @Override
        public long dueAfter(long succeededAt) {
            return succeededAt + period;
        }
    }

    /** From a time of day on, in a zone. */
    record Daily(LocalTime time, ZoneId zone) implements OnceSchedule {
        @Override
        public long dueAfter(long succeededAt) {
            ZonedDateTime last = Instant.ofEpochMilli(succeededAt).atZone(zone);
            ZonedDateTime next = last.toLocalDate().atTime(time).atZone(zone);
            if (!next.isAfter(last)) {
                next = last.toLocalDate().plusDays(1).atTime(time).atZone(zone);
            }
            return next.toInstant().toEpochMilli();
        }
    }
}
