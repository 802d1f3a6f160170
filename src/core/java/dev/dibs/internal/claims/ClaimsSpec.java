package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.claims.RowMapper;
import dev.dibs.internal.claims.store.ClaimSql;
import dev.dibs.internal.claims.store.CompletionEffect;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.Strings;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Builds claims. Each method returns another builder with its change. */
record ClaimsSpec(Claims claims, ClaimOptions options) implements ClaimsBuilder {

    private static final int MOST_COLUMNS = 4;

    private ClaimsSpec with(Consumer<ClaimOptions> change) {
        return new ClaimsSpec(claims, options.with(change));
    }

    @Override
    public ClaimsSpec key(String... columns) {
        return with(changed -> changed.keys = List.of(Arguments.required("list of columns", columns)));
    }

    @Override
    public ClaimsSpec uniqueKey() {
        return with(changed -> changed.unique = true);
    }

    @Override
    public ClaimsSpec token(String column) {
        return with(changed -> changed.token = Arguments.required("column", column));
    }

    @Override
    public ClaimsSpec until(String column) {
        return with(changed -> changed.until = Arguments.required("column", column));
    }

    @Override
    public ClaimsSpec sideTable() {
        return with(changed -> changed.side = true);
    }

    @Override
    public ClaimsSpec ranges(String name) {
        return with(changed -> changed.ranges = Names.check("name of the ranges", name));
    }

    @Override
    public ClaimsSpec where(String condition) {
        return with(changed -> changed.where = ClaimSql.check("where", condition));
    }

    @Override
    public ClaimsSpec orderBy(String columns) {
        return with(changed -> changed.orderBy = ClaimSql.check("orderBy", columns));
    }

    @Override
    public ClaimsSpec perKey(String column, int atMost) {
        return perKey(List.of(Arguments.required("column", column)), atMost);
    }

    @Override
    public ClaimsSpec perKey(List<String> columns, int atMost) {
        boolean skipsDead = options.perKey != null && options.perKey.skipsDead();
        List<String> given = List.copyOf(Arguments.required("list of columns", columns));
        if (given.isEmpty()
                || given.size() > MOST_COLUMNS
                || given.stream().distinct().count() < given.size()
                || atMost < 1
                || atMost > RowClaims.LARGEST_CLAIM) {
            throw new IllegalArgumentException("perKey(" + given + ", " + atMost + ") needs 1 to " + MOST_COLUMNS
                    + " different columns, and a limit from 1 to " + RowClaims.LARGEST_CLAIM);
        }
        return with(changed -> changed.perKey = new ClaimOptions.PerKey(given, atMost, skipsDead));
    }

    @Override
    public ClaimsSpec skipDead() {
        ClaimOptions.PerKey perKey = options.perKey;
        if (perKey == null) {
            throw new IllegalArgumentException("skipDead() says which rows count for perKey(..): call that first");
        }
        return with(changed -> changed.perKey = new ClaimOptions.PerKey(perKey.columns(), perKey.most(), true));
    }

    @Override
    public ClaimsSpec leaseLength(Duration lease) {
        return with(changed -> changed.lease = Term.checkLease(lease));
    }

    @Override
    public ClaimsSpec completeSet(String assignments) {
        return with(changed -> changed.effect = CompletionEffect.set(ClaimSql.check("completeSet", assignments)));
    }

    @Override
    public ClaimsSpec completeDelete() {
        return with(changed -> changed.effect = CompletionEffect.DELETE);
    }

    @Override
    public DatabaseClaims<RowKey> build() {
        return claims.build(options, null);
    }

    @Override
    public <T> DatabaseClaims<T> build(RowMapper<T> mapper) {
        return claims.build(options, mapper);
    }

    @Override
    public String toString() {
        return "ClaimsBuilder[" + Strings.escape(options.table) + "]";
    }
}
