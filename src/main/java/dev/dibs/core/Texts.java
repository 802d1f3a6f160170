package dev.dibs.core;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/** Texts cut to what a column holds. */
public final class Texts {

    private Texts() {}

    /** The beginning of a text, without half a character at the end and without what some databases refuse. */
    public static @Nullable String cut(@Nullable String text, int length) {
        if (text == null) {
            return null;
        }
        StringBuilder kept = new StringBuilder(Math.min(text.length(), length));
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            boolean lone = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
            int width = Character.charCount(c);
            if (kept.length() + width > length) {
                break;
            }
            kept.appendCodePoint(c == 0 || lone ? '?' : c);
        }
        return kept.toString();
    }

    public static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    public static String stack(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
