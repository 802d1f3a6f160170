package dev.dibs.internal.sql.files;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The condition under which a step of a statement is sent.
 *
 * @param ifNoRow whether only if the steps before it returned no row
 * @param unless not if a row came back that is this: {@code held}, {@code ours} or {@code refused}; empty if that does not matter
 */
public record StepCondition(boolean ifNoRow, String unless) {

    static final StepCondition ALWAYS = new StepCondition(false, "");

    private static final Pattern LINE = Pattern.compile("-- (then|else)(?: unless (held|ours|refused))?");

    /** The condition in a line that divides two steps, if it is such a line. */
    static Optional<StepCondition> parse(String line) {
        Matcher marker = LINE.matcher(line);
        return marker.matches()
                ? Optional.of(new StepCondition(
                        marker.group(1).equals("else"), marker.group(2) == null ? "" : marker.group(2)))
                : Optional.empty();
    }

    /** In words, for a program: {@code always}, or {@code if no row so far}, {@code unless held} or both. */
    @Override
    public String toString() {
        if (unless.isEmpty()) {
            return ifNoRow ? "if no row so far" : "always";
        }
        return (ifNoRow ? "if no row so far, " : "") + "unless " + unless;
    }
}
