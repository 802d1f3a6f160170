package dev.dibs.internal.values;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks of the user's arguments: not null, and within their bounds. */
public final class Arguments {

    /** The longest time for which something can be put off: its end is within 16 digits of milliseconds. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    private Arguments() {}

    /**
     * Returns the value if it is not null.
     *
     * @param what what the value is, for the message
     */
    public static <T> T required(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("the " + what + " is null");
        }
        return value;
    }

    /** Returns a length of time if it is within these bounds. */
    public static Duration within(String what, @Nullable Duration length, Duration least, Duration most) {
        if (required(what, length).compareTo(least) < 0 || length.compareTo(most) > 0) {
            throw new IllegalArgumentException(("aeiou".indexOf(what.charAt(0)) >= 0 ? "an " : "a ") + what + " of "
                    + text(length) + " is out of bounds; it must be between " + text(least) + " and " + text(most));
        }
        return length;
    }

    /** A length of time as people read it, in one unit: 300 ms, 10 s, 5 min, 24 h, 10 days. */
    public static String text(Duration length) {
        if (length.getNano() % 1_000_000 != 0) {
            return length.getSeconds() == 0 ? length.getNano() + " ns" : length.toSeconds() + " s and some";
        }
        if (length.getNano() != 0) {
            return length.toMillis() + " ms";
        }
        long seconds = length.toSeconds();
        if (seconds != 0 && seconds % 3600 == 0) {
            long hours = seconds / 3600;
            return hours % 24 == 0 && hours != 24 ? hours / 24 + " days" : hours + " h";
        }
        return seconds != 0 && seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    /** Throws if it is null or negative. */
    public static Duration checkWait(Duration wait) {
        if (required("wait", wait).isNegative()) {
            throw new IllegalArgumentException("the wait is negative: " + text(wait) + "; zero means not to wait");
        }
        return wait;
    }
}
