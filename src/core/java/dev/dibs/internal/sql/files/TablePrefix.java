package dev.dibs.internal.sql.files;

import dev.dibs.internal.values.Arguments;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** The prefix of the name of every table of Dibs, with the schema before it. It becomes a part of each statement. */
public final class TablePrefix {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** A backslash escapes in the literals of some databases; a brace begins a fragment here, and an escape of JDBC. */
    private static final Pattern REFUSED = Pattern.compile("[\\\\{}\\p{Cntrl}]");

    /** PostgreSQL cuts a longer name off, so that two schemas would be one. */
    private static final int LONGEST = 63;

    private static final int SCHEMA_PARTS = 2;

    private TablePrefix() {}

    /**
     * A prefix as it stands in a statement: a quoted schema has the quotation marks of the database.
     *
     * @param quote the quotation mark of the database for names
     * @throws IllegalArgumentException if it is invalid
     */
    static String inStatement(String prefix, String quote) {
        List<NamePart> parts = SqlName.parse("prefix", prefix);
        int last = parts.size() - 1;
        NamePart name = parts.get(last);
        if (last > SCHEMA_PARTS || name.exact() || !PLAIN.matcher(name.text()).matches()) {
            throw new IllegalArgumentException("'" + prefix + "' cannot begin a table's name: use letters, digits and"
                    + " underscores, as in dibs_ or myschema.dibs_");
        }
        parts.subList(0, last).forEach(TablePrefix::checkSchema);
        return SqlName.inStatement(parts, quote);
    }

    /**
     * Checks the name of a schema, plain or quoted. Returns it as it came.
     *
     * @throws IllegalArgumentException if it is no such name
     */
    public static String checkSchema(String schema) {
        List<NamePart> parts = SqlName.parse("schema", Arguments.required("schema", schema));
        if (parts.size() > 1) {
            throw new IllegalArgumentException(
                    "'" + schema + "' is not a schema's name: it has a dot; quote it if it really has");
        }
        checkSchema(parts.get(0));
        return schema;
    }

    private static void checkSchema(NamePart schema) {
        if (!schema.exact() && !PLAIN.matcher(schema.text()).matches()) {
            throw new IllegalArgumentException("'" + schema.text()
                    + "' is not a plain identifier of letters a to z, digits and underscores; quote it: "
                    + SqlName.quoted(schema.text(), "\""));
        }
        if (REFUSED.matcher(schema.text()).find()) {
            throw new IllegalArgumentException("'" + schema.text()
                    + "' cannot be the schema of Dibs' tables: backslashes, braces and control characters are not"
                    + " supported there");
        }
        if (schema.text().getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            throw new IllegalArgumentException("'" + schema.text()
                    + "' cannot be the schema of Dibs' tables: it has more than " + LONGEST + " bytes in UTF-8");
        }
    }
}
