package dev.dibs.internal.sql;

import dev.dibs.internal.values.Arguments;
import java.util.regex.Pattern;

/** The prefix of the name of every table of Dibs. It becomes a part of each statement. */
final class TablePrefix {

    private static final Pattern PREFIX = Pattern.compile("([A-Za-z_][A-Za-z0-9_]*\\.){0,2}[A-Za-z_][A-Za-z0-9_]*");

    private TablePrefix() {}

    /**
     * Returns the prefix.
     *
     * @throws IllegalArgumentException if it is invalid
     */
    static String check(String prefix) {
        if (!PREFIX.matcher(Arguments.required("prefix", prefix)).matches()) {
            throw new IllegalArgumentException("'" + prefix + "' cannot begin a table's name: use letters, digits and"
                    + " underscores, as in dibs_ or myschema.dibs_");
        }
        return prefix;
    }
}
