package dev.dibs.cdi;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations, as people write them. */
final class Durations {

    private static final Pattern SHORT = Pattern.compile("(\\d{1,15})(ms|s|m|h|d)");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private Durations() {}

    /**
     * Such as 5s, 30d or PT12H.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Duration parse(String text) {
        try {
            Matcher parts = SHORT.matcher(text);
            return parts.matches()
                    ? Duration.of(Long.parseLong(parts.group(1)), UNITS.get(parts.group(2)))
                    : Duration.parse(text);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is no duration, such as 5s, PT5S or P30D", e);
        }
    }
}
