package dev.dibs.internal.claims;

import dev.dibs.internal.claims.store.CompletionEffect;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.values.OwnerToken;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of a table can be claimed, and where the claims are stored.
 *
 * @param table its name as the user writes it; likewise the columns' names
 * @param keys the columns that make a row's key
 * @param token the column for a claim's token, if the claims are stored in the table itself
 * @param until the column for a claim's end, if the table has one
 * @param side whether the claims are stored in the claim table
 * @param ranges the name of the ranges, if the claims are ranges of keys
 * @param where which rows are to be processed; empty for all
 * @param orderBy in which order; empty for that of the key
 * @param effect what completing a row does to it
 * @param lease how long a claim lasts without a renewal
 * @param unique whether the user says that the key is unique, whatever the catalog shows
 */
public record ClaimOptions(
        String table,
        List<String> keys,
        @Nullable String token,
        @Nullable String until,
        boolean side,
        @Nullable String ranges,
        String where,
        String orderBy,
        CompletionEffect effect,
        Duration lease,
        boolean unique) {

    /** Without any option yet. */
    public static ClaimOptions of(String table, Duration lease) {
        return new ClaimOptions(table, List.of(), null, null, false, null, "", "", CompletionEffect.NONE, lease, false);
    }

    public ClaimOptions withKeys(List<String> columns) {
        return new ClaimOptions(table, columns, token, until, side, ranges, where, orderBy, effect, lease, unique);
    }

    ClaimOptions withUniqueKey() {
        return new ClaimOptions(table, keys, token, until, side, ranges, where, orderBy, effect, lease, true);
    }

    public ClaimOptions withToken(String column) {
        return new ClaimOptions(table, keys, column, until, side, ranges, where, orderBy, effect, lease, unique);
    }

    public ClaimOptions withUntil(@Nullable String column) {
        return new ClaimOptions(table, keys, token, column, side, ranges, where, orderBy, effect, lease, unique);
    }

    ClaimOptions withSideTable() {
        return new ClaimOptions(table, keys, token, until, true, ranges, where, orderBy, effect, lease, unique);
    }

    ClaimOptions withRanges(String name) {
        return new ClaimOptions(table, keys, token, until, side, name, where, orderBy, effect, lease, unique);
    }

    /** Ranges under a name that nobody uses; other claims are tried out as they are. */
    ClaimOptions forTrial() {
        return ranges == null ? this : withRanges(OwnerToken.next());
    }

    public ClaimOptions withWhere(String condition) {
        return new ClaimOptions(table, keys, token, until, side, ranges, condition, orderBy, effect, lease, unique);
    }

    public ClaimOptions withOrderBy(String columns) {
        return new ClaimOptions(table, keys, token, until, side, ranges, where, columns, effect, lease, unique);
    }

    public ClaimOptions withEffect(CompletionEffect completing) {
        return new ClaimOptions(table, keys, token, until, side, ranges, where, orderBy, completing, lease, unique);
    }

    ClaimOptions withLease(Duration length) {
        return new ClaimOptions(table, keys, token, until, side, ranges, where, orderBy, effect, length, unique);
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
