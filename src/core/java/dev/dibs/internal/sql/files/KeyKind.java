package dev.dibs.internal.sql.files;

import java.util.Locale;

/** How a dialect lists, compares and writes keys, by the kind of the type. */
public enum KeyKind {
    WHOLE,
    DECIMAL,
    TEXT,
    /** A text of a fixed length. Blanks at its end do not count. */
    CHAR,
    /** A text that is one of a few, such as an enumeration: compared as it is. */
    LABEL,
    UUID,
    /** Bytes. They are sent as hexadecimal digits. */
    BINARY,
    BOOLEAN,
    DATE,
    /** A time of day, without a zone. */
    TIME,
    /** A date and a time, without a zone. */
    DATETIME,
    /** A point in time. */
    INSTANT;

    /** The end of the name of a fragment for this kind. */
    String suffix() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the database must write the text: the driver's object has another one, or depends on the session or the JVM. */
    public boolean isWrittenByDatabase() {
        return this == DATE || this == TIME || this == DATETIME || this == INSTANT;
    }
}
