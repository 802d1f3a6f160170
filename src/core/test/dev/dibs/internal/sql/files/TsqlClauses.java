package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The parts of a statement by their first words. */
record TsqlClauses(List<String> words, List<List<TsqlNode>> all) {

    /** Words that begin a clause or a statement, or are of other databases: none of these may stand among others. */
    private static final Set<String> ELSEWHERE = Set.of(
            "LIMIT",
            "FETCH",
            "OFFSET",
            "RETURNING",
            "FOR",
            "VALUES",
            "DECLARE",
            "INSERT",
            "UPDATE",
            "DELETE",
            "SELECT",
            "SET",
            "OUTPUT",
            "FROM",
            "WHERE",
            "ORDER",
            "GROUP",
            "HAVING",
            "INTO");

    /** Columns of Dibs that also stand in another table of the same statement, or in the list of what has changed. */
    private static final Set<String> COLUMNS =
            Set.of("scope", "token", "held_until", "owner", "fence", "name_key", "slot");

    boolean has(String word) {
        return words.contains(word);
    }

    /** What follows the word; nothing if it is missing. */
    List<TsqlNode> of(String word) {
        int at = words.indexOf(word);
        return at < 0 ? List.of() : all.get(at);
    }

    static TsqlClauses of(Set<String> wrong, List<TsqlNode> statement, List<String> order) {
        TsqlClauses clauses = new TsqlClauses(new ArrayList<>(), new ArrayList<>());
        int last = -1;
        for (TsqlNode node : statement) {
            String word = node.word();
            int place = order.indexOf(word);
            if (place >= 0) {
                if (place <= last) {
                    wrong.add(word + " behind " + order.get(last));
                }
                last = place;
                clauses.words().add(word);
                clauses.all().add(new ArrayList<>());
            } else if (ELSEWHERE.contains(word)) {
                wrong.add(word + " in " + order.get(0));
            } else {
                clauses.all().get(clauses.all().size() - 1).add(node);
            }
        }
        return clauses;
    }

    void noHints(Set<String> wrong, String clause) {
        if (of(clause).stream().anyMatch(node -> node.is("WITH"))) {
            wrong.add("WITH in " + clause);
        }
    }

    /** In a change of some rows of a table with another name, not every server knows whose column is meant. */
    void qualified(Set<String> wrong, String clause) {
        List<TsqlNode> nodes = of(clause);
        boolean assignments = clause.equals("SET");
        boolean assigned = assignments;
        for (int i = 0; i < nodes.size(); i++) {
            TsqlNode node = nodes.get(i);
            boolean free = i == 0 || !nodes.get(i - 1).is(".");
            if (!assigned && free && node.inside() == null && COLUMNS.contains(node.text())) {
                wrong.add("the column " + node.text() + " without the name of its table");
            }
            assigned = assignments && node.is(",");
        }
    }
}
