package dev.dibs.text;

import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The words for states and kinds, and times for people. */
public final class Words {

    private Words() {}

    /** The word for the state of a once-guard. */
    public static String state(OnceInfo once) {
        return once.running().isPresent() ? "running" : once.retryAt().isPresent() ? "failed" : "idle";
    }

    /** The kinds of leases that {@code Admin.leases()} lists. */
    public static Set<LeaseInfo.Kind> listedKinds() {
        return EnumSet.complementOf(EnumSet.of(LeaseInfo.Kind.ONCE));
    }

    /** The word for the kind of a lease. */
    public static String kind(LeaseInfo lease) {
        return lease.kind().name().toLowerCase(Locale.ROOT);
    }

    /** The time in UTC, with a Z. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
