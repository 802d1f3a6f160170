package dev.dibs.text;

import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.values.Strings;

/** Makes foreign text safe for one line of a terminal. */
public final class OneLine {

    private OneLine() {}

    /** A message, with its lines joined. */
    public static String message(String text) {
        return Strings.oneLine(Secrets.withoutStatement(text));
    }

    /** A value, with unprintable characters escaped. */
    public static String escape(String text) {
        return Strings.escape(text);
    }
}
