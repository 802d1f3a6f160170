package dev.dibs.internal.sql.files;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How the databases differ for the library, by {@code features.properties}: the standard file, overlaid by those of the dialect's base and
 * of the dialect. The standard file explains each feature.
 *
 * <p>All of it is checked when it is read.
 */
public final class Features {

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

    private enum Answer {
        YES,
        NO
    }

    static final String FILE = "features.properties";

    private final Map<String, PropertyFile.Entry> entries;
    private final boolean nationalText;
    private final boolean needsReadCommitted;
    private final boolean answersBeforeCommit;
    private final boolean severalInOneText;
    private final boolean notifies;
    private final Together locksTogether;
    private final boolean listsInOneStatement;
    private final boolean retakesLocks;
    private final boolean retakesTogether;
    private final boolean renewsAllAtOnce;
    private final boolean completesInTransaction;
    private final boolean claimsReadByToken;
    private final IndexFilter indexFilter;
    private final boolean indexesEndWithPrimaryKey;

    private Features(Map<String, PropertyFile.Entry> entries) {
        this.entries = entries;
        nationalText = is("national_text");
        needsReadCommitted = is("needs_read_committed");
        answersBeforeCommit = is("answers_before_commit");
        severalInOneText = is("several_in_one_text");
        notifies = is("notifies");
        locksTogether = choice("locks_together", Together.class);
        listsInOneStatement = is("lists_in_one_statement");
        retakesLocks = is("retakes_locks");
        retakesTogether = is("retakes_together");
        renewsAllAtOnce = is("renews_all_at_once");
        completesInTransaction = is("completes_in_transaction");
        claimsReadByToken = is("claims_read_by_token");
        indexFilter = choice("index_filter", IndexFilter.class);
        indexesEndWithPrimaryKey = is("indexes_end_with_primary_key");
    }

    /**
     * Reads the files of a dialect.
     *
     * @throws IllegalArgumentException if a file has an unknown key or value; the message names the line
     */
    static Features load(DialectFolder folder) {
        Map<String, PropertyFile.Entry> entries = new LinkedHashMap<>();
        for (DialectFolder layer : folder.layers()) {
            layer.properties(FILE).forEach((key, entry) -> {
                if (layer != DialectFolder.STANDARD && !entries.containsKey(key)) {
                    throw entry.refused("there is no capability '" + key + "'; there are " + entries.keySet());
                }
                entries.put(key, entry);
            });
        }
        return new Features(entries);
    }

    private boolean is(String key) {
        return choice(key, Answer.class) == Answer.YES;
    }

    private <E extends Enum<E>> E choice(String key, Class<E> choices) {
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

    /** Whether strings must be bound as national ones. */
    public boolean nationalText() {
        return nationalText;
    }

    /** Whether statements are refused unless the isolation is READ COMMITTED. */
    public boolean needsReadCommitted() {
        return needsReadCommitted;
    }

    /** Whether the rows of a single statement can reach the client before a commit that can still fail. */
    public boolean answersBeforeCommit() {
        return answersBeforeCommit;
    }

    /** Whether several statements can be sent as one text that is one transaction. */
    public boolean severalInOneText() {
        return severalInOneText;
    }

    /** Whether a release notifies waiters. */
    public boolean notifies() {
        return notifies;
    }

    /** How acquires and releases of locks by many threads are sent. */
    public Together locksTogether() {
        return locksTogether;
    }

    /** Whether one statement acquires all locks of a list or none. */
    public boolean listsInOneStatement() {
        return listsInOneStatement;
    }

    /** Whether {@code retake_lock} is tried first for a lock that this instance has released. */
    public boolean retakesLocks() {
        return retakesLocks;
    }

    /** Whether released locks that are acquired again at the same time go as a batch. */
    public boolean retakesTogether() {
        return retakesTogether;
    }

    /** Whether {@code renew_all_leases} is tried before {@code renew_leases}. */
    public boolean renewsAllAtOnce() {
        return renewsAllAtOnce;
    }

    /** Whether a completion needs a JDBC transaction. */
    public boolean completesInTransaction() {
        return completesInTransaction;
    }

    /** Whether a claim finds the rows that it has just marked by its token. */
    public boolean claimsReadByToken() {
        return claimsReadByToken;
    }

    /** What the condition of an index may be. */
    public IndexFilter indexFilter() {
        return indexFilter;
    }

    /** Whether every index ends with the primary key. */
    public boolean indexesEndWithPrimaryKey() {
        return indexesEndWithPrimaryKey;
    }
}
