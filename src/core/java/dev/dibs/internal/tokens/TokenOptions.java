package dev.dibs.internal.tokens;

import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options for the tokens of a purpose.
 *
 * @param sole whether a subject has only one live token
 * @param pepper the key for codes, if there is one
 * @param tries how many wrong codes there may be in a window
 * @param retention how long a token is kept after it ended
 * @param purgeEvery how often they are purged in the background; zero for never
 */
record TokenOptions(
        boolean sole, @Nullable Pepper pepper, int tries, Duration window, Duration retention, Duration purgeEvery) {

    static final TokenOptions DEFAULT =
            new TokenOptions(false, null, 5, Duration.ofMinutes(15), Duration.ofDays(1), Duration.ofMinutes(10));

    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration SHORTEST_INTERVAL = Duration.ofMinutes(1);
    private static final Duration LONGEST_INTERVAL = Duration.ofDays(1);

    TokenOptions withSole() {
        return new TokenOptions(true, pepper, tries, window, retention, purgeEvery);
    }

    TokenOptions withPepper(byte[] secret) {
        return new TokenOptions(sole, new Pepper(secret), tries, window, retention, purgeEvery);
    }

    TokenOptions withTries(int most, Duration in) {
        if (most < 1 || most > 100) {
            throw new IllegalArgumentException("a code may be tried wrongly 1 to 100 times, not " + most);
        }
        return new TokenOptions(sole, pepper, most, checkLength("window", in), retention, purgeEvery);
    }

    TokenOptions withRetention(Duration length) {
        Arguments.within("retention", length, Duration.ZERO, LONGEST);
        return new TokenOptions(sole, pepper, tries, window, length, purgeEvery);
    }

    TokenOptions withPurgeEvery(Duration interval) {
        if (!Arguments.required("interval", interval).isZero()) {
            Arguments.within("interval other than zero", interval, SHORTEST_INTERVAL, LONGEST_INTERVAL);
        }
        return new TokenOptions(sole, pepper, tries, window, retention, interval);
    }

    /** A time to live, or a window: from a millisecond to ten years. */
    static Duration checkLength(String what, Duration length) {
        return Arguments.within(what, length, Duration.ofMillis(1), LONGEST);
    }

    Pepper needPepper(String what) {
        if (pepper == null) {
            throw new IllegalStateException(
                    what + " needs a key that is not in the database: call pepper(byte[]) when the tokens are made");
        }
        return pepper;
    }
}
