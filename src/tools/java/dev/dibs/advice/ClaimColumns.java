package dev.dibs.advice;

import dev.dibs.internal.sql.files.SqlName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The columns of the user's table, to find them in the user's SQL.
 *
 * @param names as the database has them
 * @param quote the quotation mark of the database for names
 */
record ClaimColumns(List<String> names, String quote) {

    static final String COLUMN = "?column";
    static final String LITERAL = "?literal";

    /** The column that a word names, if it names one. */
    private Optional<String> named(SqlWord word) {
        return named(word.text());
    }

    /** The column of that name as the database has it, if there is one. */
    Optional<String> named(String name) {
        String bare = SqlName.bare(name);
        if (names.contains(bare)) {
            return Optional.of(bare);
        }
        return names.stream().filter(column -> column.equalsIgnoreCase(bare)).findFirst();
    }

    /** The columns that the text names, each with its spelling there. */
    Map<String, String> in(String text) {
        Map<String, String> found = new LinkedHashMap<>();
        List<SqlWord> words = SqlWord.of(text);
        for (int i = 0; i < words.size(); i++) {
            if (isColumn(words, i)) {
                SqlWord word = words.get(i);
                named(word).ifPresent(name -> found.putIfAbsent(name, SqlName.column(word.text(), quote)));
            }
        }
        return found;
    }

    /** The text's words with blanks between them. A column and a literal have a placeholder each. A table before a column is left out. */
    String shape(String text) {
        List<String> shape = new ArrayList<>();
        List<SqlWord> words = SqlWord.of(text);
        for (int i = 0; i < words.size(); i++) {
            SqlWord word = words.get(i);
            boolean qualifies = word.isName() && follows(words, i, ".");
            if (qualifies || word.is(".")) {
                continue;
            }
            shape.add(isColumn(words, i) ? COLUMN : word.kind() == SqlWord.Kind.LITERAL ? LITERAL : word.upper());
        }
        return String.join(" ", shape);
    }

    /** Whether the text names a column by the alias of the table in a claim, which an index does not have. */
    static boolean hasAlias(String text) {
        List<SqlWord> words = SqlWord.of(text);
        return IntStream.range(0, words.size()).anyMatch(i -> words.get(i).is("t") && follows(words, i, "."));
    }

    /** A name before a parenthesis is a function's, one after a cast a type's. */
    private boolean isColumn(List<SqlWord> words, int i) {
        return words.get(i).isName()
                && !follows(words, i, "(")
                && !follows(words, i, ".")
                && !(i > 0 && words.get(i - 1).is("::"))
                && named(words.get(i)).isPresent();
    }

    private static boolean follows(List<SqlWord> words, int i, String sign) {
        return i + 1 < words.size() && words.get(i + 1).is(sign);
    }
}
