package dev.dibs.internal.sql.files;

import java.sql.Connection;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How the databases differ for the library, by {@code features.properties}: the standard file, overlaid by those of the dialect's base and
 * of the dialect. The standard file explains each feature. All of it is checked when it is read.
 *
 * @param nationalText whether strings must be bound as national ones
 * @param needsReadCommitted whether statements are refused unless the isolation is READ COMMITTED
 * @param locksMoreFrom the lowest isolation in which a transaction locks more than the rows that it takes
 * @param answersBeforeCommit whether the rows of a single statement can reach the client before a commit that can still fail
 * @param limitsLockWait whether the wait of each statement for a lock is set to a part of the time that its answer may take
 * @param severalInOneText whether several statements can be sent as one text that is one transaction
 * @param notifies whether a release notifies waiters
 * @param locksTogether how acquires and releases of locks by many threads are sent
 * @param listsInOneStatement whether one statement acquires all locks of a list or none
 * @param retakesLocks whether {@code retake_lock} is tried first for a lock that this instance has released
 * @param locksRefusedRows whether a row that a locking search finds by its key, and then refuses, stays locked
 * @param retakesTogether whether released locks that are acquired again at the same time go as a batch
 * @param renewsAllAtOnce whether {@code renew_all_leases} is tried before {@code renew_leases}
 * @param completesInTransaction whether a completion needs a JDBC transaction
 * @param looseTypes whether the type of a column says only how its values are compared
 * @param returnsNewKeys whether a completion must not change the key of a row in a table with a token column
 * @param tablesWithoutTransactions whether a table may have no transactions
 * @param claimsReadByToken whether a claim finds the rows that it has just marked by its token
 * @param claimsPerKeyAtOnce whether one statement claims rows group by group
 * @param errorsMayEndTransaction whether any error may roll the transaction back
 * @param statementsNeedNoSeparator whether a text may have several statements without semicolons
 * @param indexFilter what the condition of an index may be
 * @param indexesEndWithPrimaryKey whether every index ends with the primary key
 */
public record Features(
        boolean nationalText,
        boolean needsReadCommitted,
        LocksMoreFrom locksMoreFrom,
        boolean answersBeforeCommit,
        boolean limitsLockWait,
        boolean severalInOneText,
        boolean notifies,
        Together locksTogether,
        boolean listsInOneStatement,
        boolean retakesLocks,
        boolean locksRefusedRows,
        boolean retakesTogether,
        boolean renewsAllAtOnce,
        boolean completesInTransaction,
        boolean looseTypes,
        boolean returnsNewKeys,
        boolean tablesWithoutTransactions,
        boolean claimsReadByToken,
        boolean claimsPerKeyAtOnce,
        boolean errorsMayEndTransaction,
        boolean statementsNeedNoSeparator,
        IndexFilter indexFilter,
        boolean indexesEndWithPrimaryKey) {

    /** How calls of many threads are sent. */
    public enum Together {
        /** Each by a statement of its own. */
        ONE_BY_ONE,
        /** A batch as one statement. */
        STATEMENT,
        /** A batch as one statement in a JDBC transaction. */
        TRANSACTION
    }

    /** What the condition of an index may be. */
    public enum IndexFilter {
        /** An index has no condition. */
        NONE,
        /** Comparisons of a column with a value. */
        COMPARISONS,
        /** Anything that depends on the row alone. */
        FIXED
    }

    /** The isolations in which a transaction locks more than the rows that it takes. */
    public enum LocksMoreFrom {
        /** That one and SERIALIZABLE. */
        REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        /** That one alone. */
        SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE),
        /** None. */
        NEVER(Integer.MAX_VALUE);

        private final int lowest;

        LocksMoreFrom(int lowest) {
            this.lowest = lowest;
        }

        /**
         * Whether it is one of them.
         *
         * @param isolation as JDBC counts them: a higher one isolates more
         */
        public boolean includes(int isolation) {
            return isolation >= lowest;
        }
    }

    private enum Answer {
        YES,
        NO
    }

    static final String FILE = "features.properties";

    /**
     * Reads the files of a dialect.
     *
     * @throws IllegalArgumentException if a file has an unknown key or value; the message names the line
     */
    static Features load(DialectFolder folder) {
        Map<String, PropertyFile.Entry> entries = new LinkedHashMap<>();
        for (DialectFolder layer : folder.layers()) {
            layer.properties(FILE).forEach((key, entry) -> {
                if (!layer.equals(DialectFolder.STANDARD) && !entries.containsKey(key)) {
                    throw entry.refused("there is no capability '" + key + "'; there are " + entries.keySet());
                }
                entries.put(key, entry);
            });
        }
        return new Features(
                is(entries, "national_text"),
                is(entries, "needs_read_committed"),
                choice(entries, "locks_more_from", LocksMoreFrom.class),
                is(entries, "answers_before_commit"),
                is(entries, "limits_lock_wait"),
                is(entries, "several_in_one_text"),
                is(entries, "notifies"),
                choice(entries, "locks_together", Together.class),
                is(entries, "lists_in_one_statement"),
                is(entries, "retakes_locks"),
                is(entries, "locks_refused_rows"),
                is(entries, "retakes_together"),
                is(entries, "renews_all_at_once"),
                is(entries, "completes_in_transaction"),
                is(entries, "loose_types"),
                is(entries, "returns_new_keys"),
                is(entries, "tables_without_transactions"),
                is(entries, "claims_read_by_token"),
                is(entries, "claims_per_key_at_once"),
                is(entries, "errors_may_end_transaction"),
                is(entries, "statements_need_no_separator"),
                choice(entries, "index_filter", IndexFilter.class),
                is(entries, "indexes_end_with_primary_key"));
    }

    private static boolean is(Map<String, PropertyFile.Entry> entries, String key) {
        return choice(entries, key, Answer.class) == Answer.YES;
    }

    private static <E extends Enum<E>> E choice(Map<String, PropertyFile.Entry> entries, String key, Class<E> choices) {
        PropertyFile.Entry entry = entries.get(key);
        if (entry == null) {
            throw new IllegalArgumentException("the standard " + FILE + " has no '" + key + "'");
        }
        for (E choice : choices.getEnumConstants()) {
            if (text(choice).equals(entry.value())) {
                return choice;
            }
        }
        List<String> allowed =
                Arrays.stream(choices.getEnumConstants()).map(Features::text).toList();
        throw entry.refused("'" + key + "' is one of " + allowed + ", and not '" + entry.value() + "'");
    }

    private static String text(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
