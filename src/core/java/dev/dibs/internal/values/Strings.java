package dev.dibs.internal.values;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Cuts texts to the length of a column, and makes them safe for one line of a log or a terminal. */
public final class Strings {

    /**
     * Characters that could mislead a terminal, a log or a reader: control characters, invisible ones, line separators, and those
     * that change the direction of writing.
     */
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    /** A run of blanks as a whole, so that the pattern visits each blank once. */
    private static final Pattern BLANKS = Pattern.compile("[\\s\\x85\\u2028\\u2029]++");

    /** The number of ASCII characters. */
    private static final int ASCII = 128;

    private static final Pattern BREAK = Pattern.compile("\\R");

    private Strings() {}

    /** A foreign text, with escape codes for unsafe characters. */
    public static String escape(String text) {
        return UNSAFE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group().chars().mapToObj(Strings::code).collect(Collectors.joining())));
    }

    /** The same for a message, with its lines joined. */
    public static String oneLine(String text) {
        return escape(joined(text.strip()));
    }

    /** The lines of a text as one line. A single blank replaces each line break and the blanks around it. */
    public static String joined(CharSequence text) {
        return BLANKS.matcher(text)
                .replaceAll(blanks ->
                        BREAK.matcher(blanks.group()).find() ? " " : Matcher.quoteReplacement(blanks.group()));
    }

    private static String code(int unit) {
        return String.format("\\u%04x", unit);
    }

    /** The beginning of a text. It does not end in half a character, and has nothing that some databases refuse. */
    public static @Nullable String cut(@Nullable String text, int length) {
        if (text == null) {
            return null;
        }
        StringBuilder kept = new StringBuilder(Math.min(text.length(), length));
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            boolean lone = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
            int width = Character.charCount(c);
            i += width;
            if (kept.length() + width > length) {
                break;
            }
            kept.appendCodePoint(c == 0 || lone ? '?' : c);
        }
        return kept.toString();
    }

    /** Whether it has only characters that every database can store. */
    public static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < ASCII);
    }

    /** The beginning of a text, with escape codes for all but ASCII; no escape code is cut. */
    public static String ascii(String text, int length) {
        StringBuilder kept = new StringBuilder(Math.min(text.length(), length));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            String written = c < ASCII ? String.valueOf(c) : code(c);
            if (kept.length() + written.length() > length) {
                break;
            }
            kept.append(written);
        }
        return kept.toString();
    }

    public static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    public static String stack(Throwable error) {
        StringWriter text = new StringWriter();
        return String.valueOf(of(error, e -> {
            e.printStackTrace(new PrintWriter(text));
            return text.toString();
        }));
    }

    /** What an exception says of itself, in some way. One of the user's may be unable to: then it is the name of its class. */
    public static @Nullable String of(Throwable error, Function<Throwable, @Nullable String> way) {
        try {
            return way.apply(error);
        } catch (RuntimeException | Error e) {
            return error.getClass().getName();
        }
    }

    /** The SHA-256 of a text in UTF-8. */
    public static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
