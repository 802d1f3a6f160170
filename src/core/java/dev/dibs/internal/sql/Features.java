package dev.dibs.internal.sql;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a database can do, and what must be done for it: by {@code features.properties}, the standard one, and over it those of the
 * dialect's base and of the dialect. The standard file explains each of them.
 *
 * <p>All of it is checked when it is read.
 */
public final class Features {

    /** How the callers who come at the same time are served. */
    public enum Together {
        /** Each by a statement of its own. */
        ONE_BY_ONE,
        /** All by one statement. */
        STATEMENT,
        /** All by one statement in a transaction of JDBC's. */
        TRANSACTION
    }

    /** What an index may be limited to. */
    public enum IndexFilter {
        /** Nothing. */
        NONE,
        /** Comparisons of a column with a value. */
        COMPARISONS,
        /** All that depends on the row alone. */
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
    private final boolean severalInOneText;
    private final boolean notifies;
    private final Together locksTogether;
    private final boolean listsInOneStatement;
    private final boolean retakesLocks;
    private final boolean retakesTogether;
    private final Together tokensTogether;
    private final Together completionsTogether;
    private final boolean completesInTransaction;
    private final boolean claimSizeInText;
    private final boolean claimsFromFront;
    private final boolean claimsReadByToken;
    private final IndexFilter indexFilter;
    private final boolean indexesEndWithPrimaryKey;

    private Features(Map<String, PropertyFile.Entry> entries) {
        this.entries = entries;
        nationalText = is("national_text");
        needsReadCommitted = is("needs_read_committed");
        severalInOneText = is("several_in_one_text");
        notifies = is("notifies");
        locksTogether = choice("locks_together", Together.class);
        listsInOneStatement = is("lists_in_one_statement");
        retakesLocks = is("retakes_locks");
        retakesTogether = is("retakes_together");
        tokensTogether = choice("tokens_together", Together.class);
        completionsTogether = choice("completions_together", Together.class);
        completesInTransaction = is("completes_in_transaction");
        claimSizeInText = is("claim_size_in_text");
        claimsFromFront = is("claims_from_front");
        claimsReadByToken = is("claims_read_by_token");
        indexFilter = choice("index_filter", IndexFilter.class);
        indexesEndWithPrimaryKey = is("indexes_end_with_primary_key");
    }

    /**
     * Reads the files of a dialect.
     *
     * @throws IllegalArgumentException where a file has a key or a value that there is not, naming the line
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
    boolean nationalText() {
        return nationalText;
    }

    /** Whether statements are refused under another isolation than READ COMMITTED. */
    boolean needsReadCommitted() {
        return needsReadCommitted;
    }

    /** Whether several statements can go as one text that is one transaction. */
    boolean severalInOneText() {
        return severalInOneText;
    }

    /** Whether a release notifies those who wait for it. */
    public boolean notifies() {
        return notifies;
    }

    /** How callers who acquire or release locks at the same time are served. */
    public Together locksTogether() {
        return locksTogether;
    }

    /** Whether one statement takes all locks of a list or none. */
    public boolean listsInOneStatement() {
        return listsInOneStatement;
    }

    /** Whether who has given a lock back and wants it again asks in a shorter way first. */
    public boolean retakesLocks() {
        return retakesLocks;
    }

    /** Whether callers who acquire released locks again at the same time are served by one statement. */
    public boolean retakesTogether() {
        return retakesTogether;
    }

    /** How those who consume tokens at the same time are served. */
    public Together tokensTogether() {
        return tokensTogether;
    }

    /** How those who complete rows at the same time are served. */
    public Together completionsTogether() {
        return completionsTogether;
    }

    /** Whether a completion that goes alone needs a transaction of JDBC's. */
    public boolean completesInTransaction() {
        return completesInTransaction;
    }

    /** Whether the number of rows that a claim wants stands in its text. */
    public boolean claimSizeInText() {
        return claimSizeInText;
    }

    /** Whether a worker of a run may look for its next rows from the last ones on. */
    public boolean claimsFromFront() {
        return claimsFromFront;
    }

    /** Whether a claim finds the rows that it has just marked by its token. */
    public boolean claimsReadByToken() {
        return claimsReadByToken;
    }

    /** What an index may be limited to. */
    public IndexFilter indexFilter() {
        return indexFilter;
    }

    /** Whether every index ends with the primary key. */
    public boolean indexesEndWithPrimaryKey() {
        return indexesEndWithPrimaryKey;
    }
}
