package dev.dibs.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 500ms}, {@code 30s}, {@code 1h30m}, a number of seconds, and ISO-8601 such as {@code PT1M}. */
final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern PART = Pattern.compile("([0-9]+)(ms|s|m|h|d)");
    private static final Pattern PARTS = Pattern.compile("(" + PART + ")+");
    private static final Pattern SECONDS = Pattern.compile("[0-9]+");
    private static final int LONGEST = 100;

    @Override
    public Duration convert(String text) {
        try {
            return parse(text);
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            throw new TypeConversionException(
                    "'" + shown(text) + "' is not a duration; write it like 500ms, 30s, 10m, 1h or PT1M30S");
        }
    }

    private static String shown(String text) {
        return text.length() > LONGEST ? text.substring(0, LONGEST) + ".." : text;
    }

    private static Duration parse(String text) {
        if (text.length() > LONGEST) {
            throw new DateTimeException("too long");
        }
        if (SECONDS.matcher(text).matches()) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        Duration duration = PARTS.matcher(text).matches() ? sum(text) : Duration.parse(text);
        if (duration.isNegative()) {
            throw new DateTimeException("negative");
        }
        return duration;
    }

    private static Duration sum(String text) {
        Duration sum = Duration.ZERO;
        for (Matcher part = PART.matcher(text); part.find(); ) {
            sum = sum.plus(of(Long.parseLong(part.group(1)), part.group(2)));
        }
        return sum;
    }

    private static Duration of(long number, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
