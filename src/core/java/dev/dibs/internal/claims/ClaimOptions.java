package dev.dibs.internal.claims;

import dev.dibs.internal.claims.store.ClaimSql;
import dev.dibs.internal.claims.store.CompletionEffect;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.values.OwnerToken;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Which rows of a table can be claimed, and where the claims are stored. They do not change once a builder has them. */
public final class ClaimOptions implements Cloneable {

    /** Its name as the user writes it; likewise the columns' names. */
    public final String table;

    /** The columns that make a row's key. */
    public List<String> keys = List.of();

    /** The column for a claim's token, if the claims are stored in the table itself. */
    public @Nullable String token;

    /** The column for a claim's end, if the table has one. */
    public @Nullable String until;

    /** Whether the claims are stored in the claim table. */
    boolean side;

    /** The name of the ranges, if the claims are ranges of keys. */
    public @Nullable String ranges;

    /** Which rows are to be processed; empty for all. */
    public String where = "";

    /** In which order; empty for that of the key. */
    public String orderBy = "";

    /** What completing a row does to it. */
    public CompletionEffect effect = CompletionEffect.NONE;

    /** How long a claim lasts without a renewal. */
    Duration lease;

    /** Which rows have a limit per key; null if all rows are equal. */
    public @Nullable PerKey perKey;

    /** Whether the user says that the key is unique, whatever the catalog shows. */
    boolean unique;

    /**
     * Rows with the same values in these columns take turns.
     *
     * @param columns as the user writes them
     * @param most how many of them can be in work
     * @param skipsDead whether dead ones do not count
     */
    record PerKey(List<String> columns, int most, boolean skipsDead) {}

    /** Without any option yet. */
    public ClaimOptions(String table, Duration lease) {
        this.table = table;
        this.lease = lease;
    }

    /** A copy with a change. */
    ClaimOptions with(Consumer<ClaimOptions> change) {
        try {
            ClaimOptions changed = (ClaimOptions) clone();
            change.accept(changed);
            return changed;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** Ranges under a name that nobody uses; other claims are tried out as they are. */
    ClaimOptions forTrial() {
        return ranges == null ? this : with(changed -> changed.ranges = OwnerToken.next());
    }

    /**
     * The texts for the statements: names as they stand there, and the user's own SQL.
     *
     * @param keyNames the columns of the key, as they stand in a statement
     * @param quote the quotation mark of the database for names
     * @throws IllegalArgumentException if the user's SQL has a comment
     */
    public Map<String, String> texts(List<String> keyNames, String quote) {
        if (quote.equals("`")) {
            ClaimSql.requireNoHash("where", where);
            ClaimSql.requireNoHash("orderBy", orderBy);
            ClaimSql.requireNoHash("completeSet", effect.assignments());
        }
        Map<String, String> texts = new HashMap<>();
        texts.put("where", where.isEmpty() ? "1 = 1" : "(" + where + ")");
        texts.put("order", orderBy.isEmpty() ? String.join(", ", keyNames) : orderBy);
        texts.put("effect", effect.assignments());
        texts.put("token", token == null ? "" : SqlName.column(token, quote));
        texts.put("until", until == null ? "" : SqlName.column(until, quote));
        return texts;
    }
}
