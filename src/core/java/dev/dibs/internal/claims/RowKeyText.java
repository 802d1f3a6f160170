package dev.dibs.internal.claims;

import dev.dibs.DibsException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.ColumnInfo;
import dev.dibs.internal.sql.Statements;
import java.sql.Types;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The key of a row as one text that the database writes: as {@link RowKey#toString} does, and the same in all sessions. */
final class RowKeyText {

    /** The text of a time, a fraction or a date depends on the session. */
    private static final Set<Integer> WRITTEN_BY_ALL_ALIKE = Set.of(
            Types.TINYINT,
            Types.SMALLINT,
            Types.INTEGER,
            Types.BIGINT,
            Types.NUMERIC,
            Types.DECIMAL,
            Types.CHAR,
            Types.VARCHAR,
            Types.LONGVARCHAR,
            Types.NCHAR,
            Types.NVARCHAR,
            Types.LONGNVARCHAR);

    private RowKeyText() {}

    /** The expression for it, from the expressions for the columns. */
    static String of(Statements statements, List<String> columns) {
        String each = statements.fragment(columns.size() == 1 ? "key_text" : "key_part");
        String all = columns.stream()
                .map(column -> each.replace("#", column))
                .collect(Collectors.joining(" " + statements.fragment("key_glue") + " "));
        return statements.fragment("key_whole").replace("#", all);
    }

    static void check(List<ColumnInfo> columns) {
        for (ColumnInfo column : columns) {
            if (!WRITTEN_BY_ALL_ALIKE.contains(column.jdbcType()) && !isUuid(column)) {
                throw new DibsException(
                        "the column " + column.name() + " is of the type " + column.type()
                                + ", which cannot be a key with sideTable(): use a number, a text or a UUID, or keep the"
                                + " claims in a column of the table with token(..)",
                        null);
            }
        }
    }

    static boolean isUuid(ColumnInfo column) {
        return column.type().equalsIgnoreCase("uuid");
    }
}
