package dev.dibs.text;

import dev.dibs.internal.sql.Secrets;
import dev.dibs.internal.values.Texts;

/** Text of others that is safe to show on one line of a terminal. */
public final class OneLine {

    private OneLine() {}

    /** A message: its lines are joined. */
    public static String message(String text) {
        return Texts.oneLine(Secrets.withoutStatement(text));
    }

    /** A value: what cannot be shown is escaped. */
    public static String escape(String text) {
        return Texts.escape(text);
    }
}
