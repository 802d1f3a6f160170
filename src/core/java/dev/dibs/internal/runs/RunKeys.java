package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;

/** Row keys as the tables of runs store them. */
final class RunKeys {

    private static final int LIMIT = 400;

    private RunKeys() {}

    static String text(RowKey key) {
        String text = key.toString();
        if (text.length() > LIMIT) {
            throw new IllegalArgumentException("the key of a row has " + text.length()
                    + " characters; a run can keep up to " + LIMIT + ": " + text.substring(0, 40) + "..");
        }
        return text;
    }
}
