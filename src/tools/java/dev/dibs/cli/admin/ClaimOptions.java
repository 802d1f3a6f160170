package dev.dibs.cli.admin;

import dev.dibs.Dibs;
import dev.dibs.advice.IndexAdvice;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.statements.ClaimTexts;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The rows and the table that are claimed, as a program passes them to {@link Dibs#claims}. */
final class ClaimOptions {

    @Option(names = "--claims", paramLabel = "TABLE", description = "The table whose rows are claimed.")
    private @Nullable String table;

    @Option(
            names = "--key",
            paramLabel = "C",
            split = ",",
            description = "Its key's columns, with commas between them.")
    private List<String> keys = List.of();

    @Option(names = "--token", paramLabel = "C", description = "The column for a claim's token.")
    private @Nullable String token;

    @Option(names = "--until", paramLabel = "C", description = "The column with the end of a claim.")
    private @Nullable String until;

    @Option(names = "--side", description = "Claims are stored in dibs_claim, not in the table.")
    private boolean side;

    @Option(names = "--where", paramLabel = "SQL", description = "Which rows are to be processed.")
    private @Nullable String where;

    @Option(names = "--order", paramLabel = "SQL", description = "In which order. Default: that of the key.")
    private @Nullable String order;

    @Option(
            names = "--per-key",
            paramLabel = "C",
            split = ",",
            description = "The columns of which each value takes its turn, with commas between them.")
    private List<String> perKey = List.of();

    boolean given() {
        return table != null;
    }

    /** Whether there is an option of claims without the table. */
    boolean orphaned() {
        return table == null
                && (!keys.isEmpty()
                        || token != null
                        || until != null
                        || side
                        || where != null
                        || order != null
                        || !perKey.isEmpty());
    }

    /**
     * The statements of such claims.
     *
     * @param set the assignments of a completion; null if there are none
     * @param deletes whether completing a row deletes it
     */
    ClaimTexts texts(@Nullable String set, boolean deletes) {
        if (side) {
            throw new UsageError("the statements of claims in dibs_claim are not printed; name a column with --token");
        }
        if (!perKey.isEmpty()) {
            throw new UsageError(
                    "the statements of claims per key depend on where a claim begins, and are not printed");
        }
        if (keys.isEmpty() || token == null) {
            throw new UsageError("claims on " + table + " need --key and --token");
        }
        if (set != null && deletes) {
            throw new UsageError("--complete-set and --complete-delete exclude each other");
        }
        return ClaimTexts.of(String.valueOf(table), keys, token, until, where, order, set, deletes);
    }

    IndexAdvice.Claimed claimed() {
        return new IndexAdvice.Claimed(
                String.valueOf(table),
                keys,
                token,
                until,
                where == null ? "" : where,
                perKey(order == null ? "" : order));
    }

    /** Claims per key go through an index of their columns, of the order, and of the key, which decides between equal rows. */
    private String perKey(String rows) {
        if (perKey.isEmpty()) {
            return rows;
        }
        List<String> columns = new ArrayList<>(perKey);
        if (!rows.isEmpty()) {
            columns.add(rows);
        }
        String named = String.join(", ", columns);
        keys.stream()
                .filter(key -> Pattern.compile("\\b" + Pattern.quote(key) + "\\b", Pattern.CASE_INSENSITIVE)
                        .matcher(named)
                        .results()
                        .findAny()
                        .isEmpty())
                .forEach(columns::add);
        return String.join(", ", columns);
    }

    ClaimsBuilder claims(Dibs dibs) {
        ClaimsBuilder claims = dibs.claims(String.valueOf(table))
                .key(keys.toArray(String[]::new))
                .uniqueKey();
        if (token != null) {
            claims = claims.token(token);
        }
        if (until != null) {
            claims = claims.until(until);
        }
        if (where != null) {
            claims = claims.where(where);
        }
        if (order != null) {
            claims = claims.orderBy(order);
        }
        if (!perKey.isEmpty()) {
            claims = claims.perKey(perKey, 1);
        }
        return side ? claims.sideTable() : claims;
    }
}
