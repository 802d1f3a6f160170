package dev.dibs.text;

import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.values.Texts;

/** Makes foreign text safe for one line of a terminal. */
public final class OneLine {

    private OneLine() {}

    /** A message, with its lines joined. */
    public static String message(String text) {
        return Texts.oneLine(Secrets.withoutStatement(text));
    }

    /** A value, with unprintable characters escaped. */
    public static String escape(String text) {
        return Texts.escape(text);
    }
}
