package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.claims.RowMapper;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Builds claims. Each method returns another builder with its change. */
final class ClaimsSpec implements ClaimsBuilder {

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

    private ClaimsSpec with(Consumer<ClaimsSpec> change) {
        ClaimsSpec changed = new ClaimsSpec(factory, table, lease);
        changed.keys = keys;
        changed.token = token;
        changed.until = until;
        changed.side = side;
        changed.ranges = ranges;
        changed.where = where;
        changed.orderBy = orderBy;
        changed.effect = effect;
        change.accept(changed);
        return changed;
    }

    @Override
    public ClaimsSpec key(String... columns) {
        List<String> named = List.of(Arguments.required("list of columns", columns));
        return with(changed -> changed.keys = named);
    }

    @Override
    public ClaimsSpec token(String column) {
        Arguments.required("column", column);
        return with(changed -> changed.token = column);
    }

    @Override
    public ClaimsSpec until(String column) {
        Arguments.required("column", column);
        return with(changed -> changed.until = column);
    }

    @Override
    public ClaimsSpec sideTable() {
        return with(changed -> changed.side = true);
    }

    @Override
    public ClaimsSpec ranges(String name) {
        Names.check("name of the ranges", name);
        return with(changed -> changed.ranges = name);
    }

    @Override
    public ClaimsSpec where(String condition) {
        String checked = ClaimSql.check("where", condition);
        return with(changed -> changed.where = checked);
    }

    @Override
    public ClaimsSpec orderBy(String columns) {
        String checked = ClaimSql.check("orderBy", columns);
        return with(changed -> changed.orderBy = checked);
    }

    @Override
    public ClaimsSpec lease(Duration lease) {
        Term.checkLease(lease);
        return with(changed -> changed.lease = lease);
    }

    @Override
    public ClaimsSpec completeSet(String assignments) {
        CompletionEffect set = CompletionEffect.set(ClaimSql.check("completeSet", assignments));
        return with(changed -> changed.effect = set);
    }

    @Override
    public ClaimsSpec completeDelete() {
        return with(changed -> changed.effect = CompletionEffect.DELETE);
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
