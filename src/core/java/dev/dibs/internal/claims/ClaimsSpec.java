package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.claims.RowMapper;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a builder of claims. */
final class ClaimsSpec implements ClaimsBuilder {

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

    ClaimsSpec(ClaimsFactory factory, String table, Duration lease) {
        this.factory = factory;
        this.table = Arguments.required("table", table);
        this.lease = lease;
    }

    @Override
    public ClaimsSpec key(String... columns) {
        keys = List.of(Arguments.required("list of columns", columns));
        return this;
    }

    @Override
    public ClaimsSpec token(String column) {
        token = Arguments.required("column", column);
        return this;
    }

    @Override
    public ClaimsSpec until(String column) {
        until = Arguments.required("column", column);
        return this;
    }

    @Override
    public ClaimsSpec sideTable() {
        side = true;
        return this;
    }

    @Override
    public ClaimsSpec ranges(String name) {
        ranges = Names.check("name of the ranges", name);
        return this;
    }

    @Override
    public ClaimsSpec where(String condition) {
        where = ClaimSql.check("where", condition);
        return this;
    }

    @Override
    public ClaimsSpec orderBy(String columns) {
        orderBy = ClaimSql.check("orderBy", columns);
        return this;
    }

    @Override
    public ClaimsSpec lease(Duration lease) {
        this.lease = Arguments.within("lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
        return this;
    }

    @Override
    public ClaimsSpec completeSet(String assignments) {
        effect = CompletionEffect.set(ClaimSql.check("completeSet", assignments));
        return this;
    }

    @Override
    public ClaimsSpec completeDelete() {
        effect = CompletionEffect.DELETE;
        return this;
    }

    @Override
    public DatabaseClaims<RowKey> build() {
        return factory.build(this, null);
    }

    @Override
    public <T> DatabaseClaims<T> build(RowMapper<T> mapper) {
        return factory.build(this, mapper);
    }
}
