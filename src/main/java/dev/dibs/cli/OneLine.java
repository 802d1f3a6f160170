package dev.dibs.cli;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Text of others that is safe to show on one line of a terminal. */
final class OneLine {

    /** H2 repeats the whole statement. */
    private static final Pattern STATEMENT =
            Pattern.compile("; SQL statement:\\R.*?(?= \\[[0-9]+-[0-9]+])", Pattern.DOTALL);

    private static final Pattern BREAK = Pattern.compile("\\s*\\R\\s*");

    /** A name may hold anything, such as the codes that clear a screen. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

    private OneLine() {}

    /** A message: its lines are joined. */
    static String message(String text) {
        String shorter = STATEMENT.matcher(text).replaceAll("");
        return escape(BREAK.matcher(shorter.strip()).replaceAll(" "));
    }

    /** A value: what can not be shown is escaped. */
    static String escape(String text) {
        return CONTROL.matcher(text).replaceAll(OneLine::code);
    }

    private static String code(MatchResult control) {
        return String.format("\\\\u%04x", (int) control.group().charAt(0));
    }
}
