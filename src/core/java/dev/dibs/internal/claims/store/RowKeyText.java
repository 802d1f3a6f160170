package dev.dibs.internal.claims.store;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.Statements;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The key of a row as one text that the database writes: as {@link RowKey#toString} does, and the same in all sessions. */
public final class RowKeyText {

    /** Of these, the text that the database makes of a list of keys is the one that it makes of the rows. */
    private static final Set<KeyKind> WRITTEN_BY_ALL_ALIKE =
            EnumSet.of(KeyKind.WHOLE, KeyKind.DECIMAL, KeyKind.TEXT, KeyKind.CHAR, KeyKind.LABEL, KeyKind.UUID);

    private RowKeyText() {}

    /** The expression for it, from the expressions for the columns. */
    public static String of(Statements statements, List<String> columns) {
        String each = statements.fragment(columns.size() == 1 ? "key_text" : "key_part");
        String all = columns.stream()
                .map(column -> each.replace("#", column))
                .collect(Collectors.joining(" " + statements.fragment("key_glue") + " "));
        return statements.fragment("key_whole").replace("#", all);
    }

    public static void check(ClaimTable table) {
        for (int i = 0; i < table.kinds().size(); i++) {
            if (!WRITTEN_BY_ALL_ALIKE.contains(table.kinds().get(i))) {
                ColumnInfo column = table.keyColumns().get(i);
                throw new DatabaseFailureException(
                        "the column " + column.name() + " is of the type " + column.type()
                                + ", which cannot be a key with sideTable(): use a number, a text or a UUID, or keep the"
                                + " claims in a column of the table with token(..)",
                        null);
            }
        }
    }
}
