package dev.dibs.text;

import dev.dibs.HolderInfo;
import dev.dibs.once.OnceInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** The words for states and kinds, and times for people. */
public final class Words {

    private Words() {}

    /** The word for the state of a once-guard. */
    public static String state(OnceInfo once) {
        return once.running().isPresent() ? "running" : once.retryAt().isPresent() ? "failed" : "idle";
    }

    /** The word for the kind of a lease. */
    public static String kind(HolderInfo holder) {
        return holder.kind().name().toLowerCase(Locale.ROOT);
    }

    /** The time in UTC, with a Z. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
