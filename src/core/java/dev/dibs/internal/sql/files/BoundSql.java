package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.List;

/**
 * A text whose {@code ?} know their values by number: by the slots of one list of names.
 *
 * @param slots the slot of each {@code ?}
 * @param answersBeforeCommit whether its rows can arrive before a commit that can still fail
 * @param changes whether it may change rows
 * @param tables the tables of Dibs that it names
 */
public record BoundSql(
        PreparedSql text, List<Integer> slots, boolean answersBeforeCommit, boolean changes, List<TableSql> tables) {

    /**
     * Resolves a text of a statement.
     *
     * @param names what the slots hold
     */
    static BoundSql of(String statement, PreparedSql text, List<String> names, Features features, SchemaTables schema) {
        List<Integer> slots = new ArrayList<>();
        for (String parameter : text.parameters()) {
            if (!names.contains(parameter)) {
                throw new IllegalArgumentException("statement '" + statement + "' uses :" + parameter
                        + ", which its caller does not offer; it offers " + names);
            }
            slots.add(names.indexOf(parameter));
        }
        return new BoundSql(
                text,
                List.copyOf(slots),
                features.answersBeforeCommit() && text.returnsChanges(),
                text.changes(),
                schema.tablesNamedIn(text.jdbc()));
    }
}
