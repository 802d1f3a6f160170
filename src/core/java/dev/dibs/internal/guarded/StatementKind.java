package dev.dibs.internal.guarded;

/**
 * What the text of a statement may do to the transaction that it runs in. Only the words at the beginning and after each semicolon count, also
 * after one in a literal: a text is plain if all of them are. A doubt costs a round trip or two, and no more.
 */
enum StatementKind {
    /** Queries and changes of rows. */
    PLAIN,
    /** Plain, with savepoints. */
    SAVEPOINTS,
    /** It begins with the end of a transaction. */
    END,
    /** It may do anything, as a call of a procedure may. */
    UNKNOWN;

    private static final String[] ROWS = {
        "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "VALUES", "WITH", "TABLE"
    };
    private static final String[] OF_SAVEPOINTS = {"SAVEPOINT", "RELEASE"};
    private static final String[] ENDS = {"COMMIT", "ABORT", "END", "START"};
    private static final String[] AFTER_BEGIN = {"", "WORK", "TRAN", "TRANSACTION"};
    private static final String[] AFTER_PREPARE = {"TRANSACTION", "COMMIT"};
    private static final String[] BEFORE_TO = {"WORK", "TRAN", "TRANSACTION"};
    private static final String[] TO = {"TO"};
    private static final String[] BEGIN = {"BEGIN"};
    private static final String[] PREPARE = {"PREPARE"};
    private static final String[] ROLLBACK = {"ROLLBACK"};
    /** What may end a transaction in the middle of a text without semicolons. */
    private static final String[] INSIDE = {"COMMIT", "ROLLBACK", "BEGIN", "EXEC", "EXECUTE"};

    /**
     * The kind of a text.
     *
     * @param separated whether a semicolon separates the statements of a text
     */
    static StatementKind of(String sql, boolean separated) {
        StatementKind kind = PLAIN;
        boolean first = true;
        int from = 0;
        while (from >= 0) {
            int at = afterBlanks(sql, from);
            if (at < sql.length() && sql.charAt(at) != ';') {
                StatementKind one = ofStatement(sql, at);
                if (one == END && first) {
                    return END;
                } else if (one == END || one == UNKNOWN) {
                    return UNKNOWN;
                }
                first = false;
                kind = one == SAVEPOINTS ? one : kind;
            }
            // Not from behind the comment: it may be in a literal, and hide a semicolon.
            int semicolon = sql.indexOf(';', from);
            from = semicolon < 0 ? -1 : semicolon + 1;
        }
        return separated || !hasInside(sql) ? kind : UNKNOWN;
    }

    private static StatementKind ofStatement(String sql, int at) {
        if (sql.charAt(at) == '(') {
            return PLAIN;
        }
        int end = wordEnd(sql, at);
        if (isOne(ROWS, sql, at, end)) {
            return PLAIN;
        } else if (isOne(OF_SAVEPOINTS, sql, at, end)) {
            return SAVEPOINTS;
        } else if (isOne(ENDS, sql, at, end)) {
            return END;
        }
        int next = afterBlanks(sql, end);
        int nextEnd = wordEnd(sql, next);
        if (isOne(ROLLBACK, sql, at, end)) {
            if (isOne(BEFORE_TO, sql, next, nextEnd)) {
                next = afterBlanks(sql, nextEnd);
                nextEnd = wordEnd(sql, next);
            }
            return isOne(TO, sql, next, nextEnd) ? SAVEPOINTS : END;
        }
        boolean begins = isOne(BEGIN, sql, at, end) && isOne(AFTER_BEGIN, sql, next, nextEnd);
        boolean prepares = isOne(PREPARE, sql, at, end) && isOne(AFTER_PREPARE, sql, next, nextEnd);
        return begins || prepares ? END : UNKNOWN;
    }

    /** Whether such a word is anywhere in the text. */
    private static boolean hasInside(String sql) {
        int at = 0;
        while (at < sql.length()) {
            int end = wordEnd(sql, at);
            if (isOne(INSIDE, sql, at, end)) {
                return true;
            }
            at = end == at ? at + 1 : end;
        }
        return false;
    }

    /** Skips blanks, and comments that all databases read alike; not one that MySQL runs, and not one in another. */
    private static int afterBlanks(String sql, int from) {
        int at = from;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            int end = at + 1;
            if (c == '-') {
                end = afterLine(sql, at);
            } else if (c == '/') {
                end = afterBlock(sql, at);
            } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
                return at;
            }
            if (end < 0) {
                return at;
            }
            at = end;
        }
        return at;
    }

    private static int afterLine(String sql, int at) {
        if (!sql.startsWith("--", at)) {
            return -1;
        }
        for (int i = at; i < sql.length(); i++) {
            char c = sql.charAt(i);
            if (c == '\n') {
                return i + 1;
            } else if (c == '\r') {
                return sql.startsWith("\r\n", i) ? i + 2 : -1;
            }
        }
        return sql.length();
    }

    private static int afterBlock(String sql, int at) {
        if (!sql.startsWith("/*", at) || sql.startsWith("!", at + 2) || sql.startsWith("M!", at + 2)) {
            return -1;
        }
        for (int i = at + 2; i < sql.length(); i++) {
            if (sql.startsWith("*/", i)) {
                return i + 2;
            } else if (sql.startsWith("/*", i)) {
                return -1;
            }
        }
        return -1;
    }

    /** A word begins with no digit: {@code 1COMMIT} are two, without a blank between them. */
    private static int wordEnd(String sql, int from) {
        int at = from;
        if (at < sql.length() && Character.isDigit(sql.charAt(at))) {
            return at;
        }
        while (at < sql.length() && isOfWord(sql.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isOfWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c == '@' || c == '#';
    }

    private static boolean isOne(String[] words, String sql, int at, int end) {
        for (String word : words) {
            if (word.length() == end - at && sql.regionMatches(true, at, word, 0, word.length())) {
                return true;
            }
        }
        return false;
    }
}
