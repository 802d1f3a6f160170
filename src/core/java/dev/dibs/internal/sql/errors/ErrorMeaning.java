package dev.dibs.internal.sql.errors;

import java.util.Locale;

/** The meanings of errors in the files {@code errors.properties}. Of the first five, the first one that applies decides the outcome. */
enum ErrorMeaning {
    CONNECTION_LOST,
    ROLLED_BACK,
    DUPLICATE,
    CONSTRAINT,
    REFUSED,
    KEEPS_PART,
    MAY_PASS,
    RIGHT_MISSING,
    LOGIN_REFUSED,
    WITHOUT_QUORUM,
    STALE_PLAN;

    /** Whether it decides the outcome. */
    boolean decides() {
        return compareTo(REFUSED) <= 0;
    }

    /** The spelling of the files. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
