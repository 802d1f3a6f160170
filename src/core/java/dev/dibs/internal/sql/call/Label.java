package dev.dibs.internal.sql.call;

import dev.dibs.internal.values.Strings;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A text for people, such as a label or the message of an error. A database may be unable to store it: for its character set, or because
 * its columns count bytes. Then it is sent again in ASCII, since an error that cannot be recorded is worse than one that reads badly.
 *
 * @param text cut to the length of its column
 * @param length of the column
 * @param isAscii whether every database can store it
 */
public record Label(String text, int length, boolean isAscii) {

    /** Strings of this length are labels, which are sent again and again. */
    private static final int LABEL = 200;

    /** A text, cut to the length of its column; null if there is none. */
    public static @Nullable Label of(@Nullable String text, int length) {
        String cut = Strings.cut(text, length);
        return cut == null ? null : new Label(cut, length, Strings.isAscii(cut));
    }

    /** The label of a holder. Make it once: it is sent with each acquire. */
    public static Label label(String label) {
        return Objects.requireNonNull(of(label, LABEL));
    }

    String inAscii() {
        return isAscii ? text : Strings.ascii(text, length);
    }

    boolean isLabel() {
        return length <= LABEL;
    }
}
