package dev.dibs.internal.schema;

import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The database's clock, and what was stored while it was far ahead. Until the clock is there again, such work is not due, and such a lease of
 * a dead holder does not end.
 *
 * @param there the database's time, in milliseconds
 * @param here the time of this machine at the same moment
 */
public record DatabaseClock(long there, long here) {

    private static final long NOTABLE_MILLIS = 1_000;

    /** More than clocks of several nodes differ. */
    private static final long AHEAD_MILLIS = 60_000;

    /** As many are named. */
    private static final int NAMED = 5;

    Finding finding() {
        long difference = there - here;
        if (Math.abs(difference) < NOTABLE_MILLIS) {
            return Checks.ok("clock", "the database's differs from this machine's by " + difference + " ms");
        }
        return Checks.note(
                "clock",
                "the database's differs from this machine's by " + difference + " ms; Dibs uses only the database's",
                "Correct this machine's clock; Dibs itself does not need it");
    }

    public List<Finding> onceAhead(List<OnceInfo> all) {
        Predicate<OnceInfo> ahead =
                once -> once.lastSuccess().filter(this::isAhead).isPresent()
                        || once.lastFailure().filter(this::isAhead).isPresent();
        return ahead(
                all.stream().filter(ahead).map(OnceInfo::name).toList(),
                "work that is done once a period, and not due before then",
                "Make it due: dibs once NAME --forget, or Run again in the console");
    }

    /** A lease that its holder has renewed since ends before it began. */
    public List<Finding> leasesAhead(List<LeaseInfo> all) {
        return ahead(
                all.stream()
                        .filter(lease ->
                                isAhead(lease.since()) && !lease.until().isBefore(lease.since()))
                        .map(LeaseInfo::name)
                        .distinct()
                        .toList(),
                "held, and not free before then if the holder is dead",
                "Take it from its holder: dibs break NAME, or break it in the console");
    }

    private boolean isAhead(Instant stored) {
        return stored.toEpochMilli() > there + AHEAD_MILLIS;
    }

    private static List<Finding> ahead(List<String> names, String state, String remedy) {
        String named = names.stream().limit(NAMED).collect(Collectors.joining(", "));
        return names.isEmpty()
                ? List.of()
                : List.of(Checks.warning(
                        "times ahead",
                        "stored while the database's clock was ahead of what it is now: " + named
                                + (names.size() > NAMED ? " and " + (names.size() - NAMED) + " more" : "") + ": "
                                + state,
                        remedy));
    }
}
