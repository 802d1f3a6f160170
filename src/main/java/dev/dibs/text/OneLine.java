package dev.dibs.text;

import dev.dibs.sql.Secrets;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Text of others that is safe to show on one line of a terminal. */
public final class OneLine {

    private static final Pattern BREAK = Pattern.compile("\\s*\\R\\s*");

    /** A name may hold anything, such as the codes that clear a screen. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

    private OneLine() {}

    /** A message: its lines are joined. */
    public static String message(String text) {
        String shorter = Secrets.withoutStatement(text);
        return escape(BREAK.matcher(shorter.strip()).replaceAll(" "));
    }

    /** A value: what can not be shown is escaped. */
    public static String escape(String text) {
        return CONTROL.matcher(text).replaceAll(OneLine::code);
    }

    private static String code(MatchResult control) {
        return String.format("\\\\u%04x", (int) control.group().charAt(0));
    }
}
