package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.claims.RowMapper;
import dev.dibs.internal.claims.store.CompletionEffect;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.Texts;
import java.time.Duration;
import java.util.List;

/** Builds claims. Each method returns another builder with its change. */
record ClaimsSpec(Claims claims, ClaimOptions options) implements ClaimsBuilder {

    private ClaimsSpec with(ClaimOptions changed) {
        return new ClaimsSpec(claims, changed);
    }

    @Override
    public ClaimsSpec key(String... columns) {
        return with(options.withKeys(List.of(Arguments.required("list of columns", columns))));
    }

    @Override
    public ClaimsSpec uniqueKey() {
        return with(options.withUniqueKey());
    }

    @Override
    public ClaimsSpec token(String column) {
        return with(options.withToken(Arguments.required("column", column)));
    }

    @Override
    public ClaimsSpec until(String column) {
        return with(options.withUntil(Arguments.required("column", column)));
    }

    @Override
    public ClaimsSpec sideTable() {
        return with(options.withSideTable());
    }

    @Override
    public ClaimsSpec ranges(String name) {
        return with(options.withRanges(Names.check("name of the ranges", name)));
    }

    @Override
    public ClaimsSpec where(String condition) {
        return with(options.withWhere(ClaimSql.check("where", condition)));
    }

    @Override
    public ClaimsSpec orderBy(String columns) {
        return with(options.withOrderBy(ClaimSql.check("orderBy", columns)));
    }

    @Override
    public ClaimsSpec leaseLength(Duration lease) {
        return with(options.withLease(Term.checkLease(lease)));
    }

    @Override
    public ClaimsSpec completeSet(String assignments) {
        return with(options.withEffect(CompletionEffect.set(ClaimSql.check("completeSet", assignments))));
    }

    @Override
    public ClaimsSpec completeDelete() {
        return with(options.withEffect(CompletionEffect.DELETE));
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
        return "ClaimsBuilder[" + Texts.escape(options.table()) + "]";
    }
}
