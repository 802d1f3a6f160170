package dev.dibs.console;

import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.values.Strings;
import dev.dibs.text.RunNumbers;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Formats foreign texts for people. */
final class Format {

    /** Invisible characters, and those that change the order of others: a name must not look like another one. */
    private static final Pattern HIDDEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    private static final Pattern HIDDEN_BUT_LINES = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}&&[^\n\t]]");

    private Format() {}

    /** The text on one line. */
    static String text(String raw) {
        return HIDDEN.matcher(raw).replaceAll(Format::code);
    }

    /** A message of user code or a driver, with its lines joined. */
    static String message(String raw) {
        return text(Strings.joined(raw.strip()));
    }

    /** The text with its lines. */
    static String lines(String raw) {
        return HIDDEN_BUT_LINES.matcher(raw.replace("\r\n", "\n")).replaceAll(Format::code);
    }

    private static String code(MatchResult hidden) {
        StringBuilder codes = new StringBuilder();
        for (char c : hidden.group().toCharArray()) {
            codes.append(String.format(Locale.ROOT, "\\\\u%04x", (int) c));
        }
        return codes.toString();
    }

    /** A message of user code or a driver, without passwords. */
    static String masked(String message) {
        return Secrets.withoutStatement(Secrets.maskText(message));
    }

    /** A value for a URL's query. */
    static String query(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    static String duration(Duration duration) {
        return duration.toSeconds() < 1 ? Math.max(0, duration.toMillis()) + " ms" : RunNumbers.duration(duration);
    }

    static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    /** A time, and how long ago that is. */
    static When when(Instant time, Instant now) {
        String iso = time.truncatedTo(ChronoUnit.SECONDS).toString();
        Duration past = Duration.between(time, now);
        boolean ahead = past.isNegative();
        String length = RunNumbers.duration(past.abs());
        return new When(iso, iso.replace('T', ' ').replace("Z", " UTC"), ahead ? "in " + length : length + " ago");
    }
}
