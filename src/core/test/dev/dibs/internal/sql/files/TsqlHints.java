package dev.dibs.internal.sql.files;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The hints of one table of a T-SQL statement: those that the dialect uses, and which of them may stand together. */
final class TsqlHints {

    /** At most one of each. The documentation adds READCOMMITTEDLOCK to the second: see docs/lab/sqlserver.md. */
    private static final List<Set<String>> GROUPS = List.of(
            Set.of("HOLDLOCK", "NOLOCK", "READCOMMITTED", "READCOMMITTEDLOCK", "REPEATABLEREAD", "SERIALIZABLE"),
            Set.of("PAGLOCK", "NOLOCK", "ROWLOCK", "TABLOCK", "TABLOCKX"));

    private static final Set<String> HINTS =
            Set.of("FORCESEEK", "HOLDLOCK", "NOLOCK", "NOWAIT", "READCOMMITTEDLOCK", "READPAST", "ROWLOCK", "UPDLOCK");

    private TsqlHints() {}

    /** What is wrong with the list; some hints must not be in it, since the statement changes the table. */
    static Set<String> wrongIn(List<TsqlNode> list, Set<String> not) {
        Set<String> wrong = new TreeSet<>();
        if (list == null) {
            return Set.of("WITH without parentheses");
        }
        Set<String> said = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            String hint = list.get(i).word();
            if (i % 2 == 1 && !hint.equals(",")) {
                wrong.add("hints without a comma");
            } else if (i % 2 == 0 && !HINTS.contains(hint)) {
                wrong.add("the hint " + hint);
            } else if (i % 2 == 0 && !said.add(hint)) {
                wrong.add(hint + " twice");
            }
        }
        not.stream().filter(said::contains).forEach(hint -> wrong.add(hint + " on what is changed"));
        GROUPS.stream()
                .filter(group -> group.stream().filter(said::contains).count() > 1)
                .forEach(group -> wrong.add("hints that conflict: " + new TreeSet<>(said)));
        if (said.contains("READPAST") && !(said.contains("READCOMMITTEDLOCK") && said.contains("ROWLOCK"))) {
            wrong.add("READPAST without ROWLOCK and READCOMMITTEDLOCK");
        }
        if (said.contains("NOLOCK") && (said.contains("UPDLOCK") || said.contains("READPAST"))) {
            wrong.add("NOLOCK beside a hint that locks");
        }
        return wrong;
    }
}
