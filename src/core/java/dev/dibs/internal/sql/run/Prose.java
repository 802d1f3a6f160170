package dev.dibs.internal.sql.run;

import dev.dibs.internal.values.Texts;

/**
 * A text for people, such as a label or the message of an error. A database may be unable to store it: for its character set, or because
 * its columns count bytes. Then it is sent again in ASCII, since an error that cannot be recorded is worse than one that reads badly.
 *
 * @param text cut to the length of its column
 * @param length of the column
 */
record Prose(String text, int length) {

    /** Texts of this length are labels, which are sent again and again. */
    static final int LABEL = 200;

    boolean isAscii() {
        return text.chars().allMatch(Texts::isAscii);
    }

    Prose inAscii() {
        return new Prose(Texts.ascii(text, length), length);
    }

    boolean isLabel() {
        return length <= LABEL;
    }
}
