package dev.dibs.internal.transaction;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells by its first words whether a statement ends the transaction that it is in. A procedure, or a second statement in the same text, is
 * not seen.
 */
final class TransactionEnds {

    private static final int WORDS = 5;
    private static final int SHOWN = 10;

    private static final String LINE = "[^\\n]*(?:\\n|$)";

    /** Blanks and comments: of all databases, since the statement would be an error on one that does not know such a comment. */
    private static final String BLANK = "(?:\\s++|(?:--|#|//)" + LINE + "|/\\*.*?\\*/)*+";

    /** A hint of MySQL and MariaDB, as in {@code /*! COMMIT *}{@code /}, counts as a comment. */
    private static final Pattern WORD = Pattern.compile("\\G" + BLANK + "([A-Za-z_@.]+|;)", Pattern.DOTALL);

    /** Before a statement. Such a hint is not skipped: it is run. */
    private static final Pattern BEFORE =
            Pattern.compile("(?:;|\\s++|(?:--|#|//)" + LINE + "|/\\*(?!M?!).*?\\*/)*+", Pattern.DOTALL);

    private static final Set<String> ALWAYS =
            Set.of("COMMIT", "ABORT", "END", "START TRANSACTION", "PREPARE TRANSACTION", "PREPARE COMMIT");

    /** Not the beginning of a block of statements. */
    private static final Set<String> BEGINS =
            Set.of("BEGIN", "BEGIN WORK", "BEGIN TRAN", "BEGIN TRANSACTION", "BEGIN ISOLATION", "BEGIN READ");

    /** Statements that no database ends a transaction by. A parenthesis may begin a query, and a brace a call. */
    private static final Set<String> HARMLESS = Set.of(
            "SELECT",
            "INSERT",
            "UPDATE",
            "DELETE",
            "MERGE",
            "REPLACE",
            "WITH",
            "VALUES",
            "TABLE",
            "CALL",
            "DO",
            "EXPLAIN",
            "DESCRIBE",
            "DESC",
            "SHOW",
            "HELP",
            "USE",
            "SAVEPOINT",
            "RELEASE",
            "ROLLBACK");

    /** What SET may be followed by on H2, where most settings commit. */
    private static final Set<String> HARMLESS_SETTINGS =
            Set.of("SCHEMA", "SCHEMA_SEARCH_PATH", "CATALOG", "LOCK_TIMEOUT", "QUERY_TIMEOUT", "TIME");

    /** What SET is followed by where it commits on MySQL and MariaDB. */
    private static final Set<String> COMMITTING_SETTINGS = Set.of("PASSWORD", "DEFAULT");

    private static final Pattern FOR = Pattern.compile("\\sFOR\\s", Pattern.CASE_INSENSITIVE);

    private TransactionEnds() {}

    /** The words that end the transaction on every database, or null. */
    static @Nullable String endIn(String sql) {
        List<String> words = words(begun(sql));
        if (words.isEmpty()) {
            return null;
        }
        String two = String.join(" ", words.subList(0, Math.min(2, words.size())));
        if (ALWAYS.contains(words.get(0)) || ALWAYS.contains(two) || BEGINS.contains(two)) {
            return two;
        }
        return switch (words.get(0)) {
            case "ROLLBACK" -> words.contains("TO") ? null : two;
            case "SET" -> words.stream().anyMatch(word -> word.endsWith("AUTOCOMMIT")) ? "SET AUTOCOMMIT" : null;
            default -> null;
        };
    }

    /**
     * The beginning of a statement that is not known to be harmless on databases where definitions commit; or null.
     *
     * @param sessionStatementsCommit whether CREATE TEMPORARY TABLE and most settings commit, too
     */
    static @Nullable String doubtIn(String sql, boolean sessionStatementsCommit) {
        String begun = begun(sql);
        if (begun.isEmpty() || "({?".indexOf(begun.charAt(0)) >= 0) {
            return null;
        }
        List<String> words = words(begun);
        if (words.isEmpty() || begun.startsWith("/")) {
            return begun.substring(0, Math.min(SHOWN, begun.length()));
        }
        String first = words.get(0);
        boolean harmless = HARMLESS.contains(first)
                || switch (first) {
                    case "SET" -> isHarmlessSetting(begun, words, sessionStatementsCommit);
                    case "LOAD" -> words.contains("DATA") || words.contains("XML");
                    case "CREATE", "DROP" -> isTemporaryTable(words) && !sessionStatementsCommit;
                    default -> false;
                };
        return harmless ? null : first;
    }

    private static boolean isHarmlessSetting(String sql, List<String> words, boolean mostCommit) {
        String second = words.size() > 1 ? words.get(1) : "";
        if (sql.toUpperCase(Locale.ROOT).contains("AUTOCOMMIT")) {
            return false;
        }
        if (mostCommit) {
            return second.startsWith("@") || HARMLESS_SETTINGS.contains(second);
        }
        if (second.equals("STATEMENT")) {
            Matcher statement = FOR.matcher(sql);
            return statement.find()
                    && endIn(sql.substring(statement.end())) == null
                    && doubtIn(sql.substring(statement.end()), false) == null;
        }
        return !COMMITTING_SETTINGS.contains(second);
    }

    private static boolean isTemporaryTable(List<String> words) {
        int temporary = words.indexOf("TEMPORARY");
        return temporary >= 0
                && temporary + 1 < words.size()
                && words.get(temporary + 1).equals("TABLE");
    }

    private static String begun(String sql) {
        Matcher before = BEFORE.matcher(sql);
        return before.lookingAt() ? sql.substring(before.end()) : sql;
    }

    /** The first words, in upper case, up to the end of the statement. */
    private static List<String> words(String sql) {
        return WORD.matcher(sql)
                .results()
                .map(result -> result.group(1).toUpperCase(Locale.ROOT))
                .limit(WORDS)
                .takeWhile(word -> !word.equals(";"))
                .toList();
    }
}
