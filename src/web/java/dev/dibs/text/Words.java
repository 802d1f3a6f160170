package dev.dibs.text;

import dev.dibs.HolderInfo;
import dev.dibs.once.OnceInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** One word for a state or a kind, and the time as people read it. */
public final class Words {

    private Words() {}

    /** What it is at. */
    public static String state(OnceInfo once) {
        return once.running().isPresent() ? "running" : once.retryAt().isPresent() ? "failed" : "idle";
    }

    /** What is held. */
    public static String kind(HolderInfo holder) {
        return holder.kind().name().toLowerCase(Locale.ROOT);
    }

    /** UTC, as the Z tells. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
