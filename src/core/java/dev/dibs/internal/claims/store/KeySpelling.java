package dev.dibs.internal.claims.store;

import dev.dibs.internal.sql.files.KeyKind;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Date;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Values that name a column of a key: in Java's objects or as texts, and as the database writes them. Each is turned into one object, which
 * is equal for all spellings of a value. A time without a zone is one of the JVM's zone, as in JDBC.
 */
final class KeySpelling {

    private static final DateTimeFormatter WITH_OFFSET = DateTimeFormatter.ofPattern("[XXX][X]", Locale.ROOT);
    private static final int DATE_LENGTH = 10;

    private KeySpelling() {}

    /**
     * The value that a caller means.
     *
     * @throws IllegalArgumentException if no value of this kind is meant
     */
    static Object of(KeyKind kind, Object value) {
        Object meant;
        try {
            meant = value instanceof CharSequence text ? ofText(kind, text.toString()) : ofObject(kind, value);
        } catch (DateTimeException | UnsupportedOperationException | IllegalArgumentException e) {
            throw new IllegalArgumentException(refusal(kind, value), e);
        }
        if (meant == null) {
            throw new IllegalArgumentException(refusal(kind, value));
        }
        return meant;
    }

    private static String refusal(KeyKind kind, Object value) {
        return "'" + value + "' (a " + value.getClass().getSimpleName() + ") cannot be a value of the kind "
                + kind.name().toLowerCase(Locale.ROOT);
    }

    /** The value that the database has written; its text if Java has no object for it, such as for infinity. */
    static Object ofDatabase(KeyKind kind, String text) {
        try {
            return ofText(kind, text);
        } catch (DateTimeException | IllegalArgumentException e) {
            return text;
        }
    }

    private static Object ofText(KeyKind kind, String text) {
        return switch (kind) {
            case WHOLE, DECIMAL -> new BigDecimal(text.strip()).stripTrailingZeros();
            case TEXT, LABEL -> text;
            case CHAR -> withoutPad(text);
            case ADDRESS -> text.toLowerCase(Locale.ROOT);
            case UUID -> UUID.fromString(text.strip());
            case BOOLEAN -> truth(text.strip().toLowerCase(Locale.ROOT));
            case DATE -> LocalDate.parse(text.strip());
            case TIME -> LocalTime.parse(text.strip());
            case DATETIME -> LocalDateTime.parse(iso(text));
            case INSTANT -> instant(iso(text));
        };
    }

    /** With a T between the date and the time. */
    private static String iso(String text) {
        String time = text.strip();
        boolean blank = time.length() > DATE_LENGTH && time.charAt(DATE_LENGTH) == ' ';
        return blank ? time.substring(0, DATE_LENGTH) + 'T' + time.substring(DATE_LENGTH + 1) : time;
    }

    /** The offset may be as short as +02. */
    private static Instant instant(String text) {
        int offset = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
        if (offset <= DATE_LENGTH) {
            return OffsetDateTime.parse(text).toInstant();
        }
        return LocalDateTime.parse(text.substring(0, offset))
                .toInstant(WITH_OFFSET.parse(text.substring(offset), java.time.ZoneOffset::from));
    }

    private static Boolean truth(String text) {
        return switch (text) {
            case "true", "t", "1", "yes", "on" -> true;
            case "false", "f", "0", "no", "off" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static @Nullable Object ofObject(KeyKind kind, Object value) {
        return switch (kind) {
            case WHOLE ->
                value instanceof Boolean is
                        ? (Object) (is ? BigDecimal.ONE : BigDecimal.ZERO.stripTrailingZeros())
                        : number(value);
            case DECIMAL -> number(value);
            case TEXT, CHAR, LABEL -> text(kind, value);
            case ADDRESS -> value instanceof InetAddress address ? address.getHostAddress() : null;
            case UUID -> value instanceof UUID ? value : null;
            case BOOLEAN -> value instanceof Number ? truth(value.toString()) : value instanceof Boolean ? value : null;
            case DATE -> date(value);
            case TIME -> value instanceof Time time ? time.toLocalTime() : value instanceof LocalTime ? value : null;
            case DATETIME -> dateTime(value);
            case INSTANT -> instant(value);
        };
    }

    private static @Nullable Object number(Object value) {
        return value instanceof Number ? new BigDecimal(value.toString()).stripTrailingZeros() : null;
    }

    private static @Nullable Object text(KeyKind kind, Object value) {
        if (value instanceof Enum<?> one) {
            return one.name();
        }
        boolean hasOneText = value instanceof Character
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof UUID;
        return hasOneText ? ofText(kind, value.toString()) : null;
    }

    private static @Nullable Object date(Object value) {
        if (value instanceof java.sql.Date date) {
            return date.toLocalDate();
        }
        return value instanceof LocalDate ? value : null;
    }

    private static @Nullable Object dateTime(Object value) {
        if (value instanceof LocalDateTime) {
            return value;
        }
        if (value instanceof Timestamp time) {
            return time.toLocalDateTime();
        }
        Instant instant = instant(value);
        return instant == null ? null : LocalDateTime.ofInstant(instant, ZoneId.systemDefault());
    }

    private static @Nullable Instant instant(Object value) {
        if (value instanceof Instant instant) {
            return instant;
        }
        if (value instanceof OffsetDateTime time) {
            return time.toInstant();
        }
        if (value instanceof ZonedDateTime time) {
            return time.toInstant();
        }
        if (value instanceof LocalDateTime time) {
            return time.atZone(ZoneId.systemDefault()).toInstant();
        }
        return value instanceof Date date ? date.toInstant() : null;
    }

    /** A decimal number without an exponent. */
    static String decimal(String text) {
        try {
            return new BigDecimal(text).toPlainString();
        } catch (NumberFormatException e) {
            // PostgreSQL has NaN and infinity.
            return text;
        }
    }

    static String withoutPad(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(0, end);
    }
}
