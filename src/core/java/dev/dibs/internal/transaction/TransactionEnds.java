package dev.dibs.internal.transaction;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells by its first words whether a statement ends the transaction that it is in. A procedure, or a second statement in the same text, is
 * not seen.
 */
final class TransactionEnds {

    private static final int WORDS = 4;

    /** After blanks and comments. A hint of MySQL and MariaDB, as in {@code /*! COMMIT *}{@code /}, counts as a comment. */
    private static final Pattern WORD =
            Pattern.compile("\\G(?:\\s|--[^\\n]*(?:\\n|$)|/\\*.*?\\*/)*+([A-Za-z_@.]+|;)", Pattern.DOTALL);

    private static final Set<String> ALWAYS =
            Set.of("COMMIT", "ABORT", "END", "START TRANSACTION", "PREPARE TRANSACTION", "PREPARE COMMIT");

    /** Not the beginning of a block of statements. */
    private static final Set<String> BEGINS =
            Set.of("BEGIN", "BEGIN WORK", "BEGIN TRAN", "BEGIN TRANSACTION", "BEGIN ISOLATION", "BEGIN READ");

    private static final Set<String> DEFINITIONS =
            Set.of("CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "COMMENT", "LOCK", "UNLOCK");

    private TransactionEnds() {}

    /** The words that end the transaction on every database, or null. */
    static @Nullable String endIn(String sql) {
        List<String> words = words(sql);
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

    /** The words of a definition, which commits on some databases; or null. Temporary tables do not commit on most of them. */
    static @Nullable String definitionIn(String sql) {
        List<String> words = words(sql);
        boolean defines = !words.isEmpty() && DEFINITIONS.contains(words.get(0)) && !words.contains("TEMPORARY");
        return defines ? words.get(0) : null;
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
