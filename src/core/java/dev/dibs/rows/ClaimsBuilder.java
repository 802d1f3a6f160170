package dev.dibs.rows;

import dev.dibs.DibsException;
import dev.dibs.core.Arguments;
import dev.dibs.core.Names;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells which rows of which table can be claimed, and where claims are kept: in a {@link #token} column (a claim stands until it
 * is released), in a token and an {@link #until} column (a claim ends by time, too), in a {@link #sideTable}, or as {@link #ranges}
 * of keys.
 *
 * <p>Names may be plain, or quoted as in {@code "order"}, and a table's may have a schema before it. They are checked. {@link
 * #where}, {@link #orderBy} and {@link #completeSet} are SQL of the developer's, which must never be made of anybody's input.
 *
 * <p>For one thread.
 */
public final class ClaimsBuilder {

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    final ClaimsFactory factory;
    final String table;
    List<String> keys = List.of();

    @Nullable
    String token;

    @Nullable
    String until;

    boolean side;

    @Nullable
    String ranges;

    String where = "";
    String orderBy = "";
    CompletionEffect effect = CompletionEffect.NONE;
    Duration lease;

    ClaimsBuilder(ClaimsFactory factory, String table, Duration lease) {
        this.factory = factory;
        this.table = Arguments.required("table", table);
        this.lease = lease;
    }

    /** The columns that make a row's key: unique together and never NULL. */
    public ClaimsBuilder key(String... columns) {
        keys = List.of(Arguments.required("list of columns", columns));
        return this;
    }

    /** The column for a claim's token: a text of at least 32 characters, NULL in a row that nobody has claimed. */
    public ClaimsBuilder token(String column) {
        token = Arguments.required("column", column);
        return this;
    }

    /**
     * The column that says until when a claim holds: a BIGINT, in milliseconds since 1970 UTC by the database's clock. With it
     * a row whose claimer has vanished returns to the pool when its time is over. Without it a claim stands until released.
     */
    public ClaimsBuilder until(String column) {
        until = Arguments.required("column", column);
        return this;
    }

    /** Keeps the claims in {@code dibs_claim}, for a table that can not have columns more. They end by time. */
    public ClaimsBuilder sideTable() {
        side = true;
        return this;
    }

    /**
     * Claims whole ranges of keys, for work that does every row once, in the order of the key: the rows are not written at all,
     * which is the fastest way over a large table. The key must be one column with whole numbers. Rows that come in behind what has
     * been claimed already are not seen, so that new rows must have greater keys than all that are committed.
     *
     * @param name of this pass over the table, 1 to 200 characters: under a new name every row is done again
     */
    public ClaimsBuilder ranges(String name) {
        ranges = Names.check("name of the ranges", name);
        return this;
    }

    /** Which rows are to be worked off, as in {@code processed_ts IS NULL}; a row that is completed must no longer be among them. */
    public ClaimsBuilder where(String condition) {
        where = ClaimSql.check("where", condition);
        return this;
    }

    /** In which order; by default that of the key. */
    public ClaimsBuilder orderBy(String columns) {
        orderBy = ClaimSql.check("orderBy", columns);
        return this;
    }

    /** How long a claim holds without being renewed, from 100 milliseconds to one day. By default as long as a lock's lease. */
    public ClaimsBuilder lease(Duration lease) {
        this.lease = Arguments.within("lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
        return this;
    }

    /**
     * What completing a row sets, in the same statement that drops its mark.
     *
     * @param assignments as after SET: {@code processed_ts = CURRENT_TIMESTAMP}
     */
    public ClaimsBuilder completeSet(String assignments) {
        effect = CompletionEffect.set(ClaimSql.check("completeSet", assignments));
        return this;
    }

    /** Completing a row deletes it. */
    public ClaimsBuilder completeDelete() {
        effect = CompletionEffect.DELETE;
        return this;
    }

    /**
     * Looks at the table, and makes claims whose rows are just their keys.
     *
     * @throws IllegalArgumentException if something is missing or is no name
     * @throws DibsException if the table or a column is not there or of the wrong type, or the database can not be asked
     */
    public RowClaims<RowKey> build() {
        return factory.build(this, null);
    }

    /**
     * Looks at the table, and makes claims whose rows are what the mapper makes of them.
     *
     * @throws IllegalArgumentException if something is missing or is no name
     * @throws DibsException if the table or a column is not there or of the wrong type, or the database can not be asked
     */
    public <T> RowClaims<T> build(RowMapper<T> mapper) {
        return factory.build(this, mapper);
    }
}
