package dev.dibs.contract.support;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.advice.IndexAdvice;
import dev.dibs.advice.IndexAdvice.Claimed;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.database.Sql;
import dev.dibs.internal.claims.store.PlannedClaims;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import javax.sql.DataSource;

/** A user's table whose only index is that of its key. */
public final class OpenTable implements AutoCloseable {

    private final DataSource dataSource;
    private final String name;

    /**
     * Creates it.
     *
     * @param key the column id, with its type and its constraint
     */
    public OpenTable(DataSource dataSource, String key) throws SQLException {
        this(dataSource, "work_" + Fixture.COUNT.incrementAndGet() + "_", key);
    }

    /** The same under another name. */
    public OpenTable(DataSource dataSource, String name, String key) throws SQLException {
        this.dataSource = dataSource;
        this.name = name;
        run("CREATE TABLE " + name + " (kind varchar(20), what varchar(200), done_at bigint,"
                + " request_token varchar(32), claimed_until bigint, " + key + ")");
    }

    public String name() {
        return name;
    }

    public ClaimsBuilder claims(Dibs dibs) {
        return dibs.claims(name)
                .key("id")
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL")
                .orderBy("id");
    }

    /** The same, with another condition and order. */
    public Claimed claimed(String where, String order) {
        return new Claimed(name, List.of("id"), "request_token", "claimed_until", where, order);
    }

    /** Such claims as a program makes them. */
    public static ClaimsBuilder claims(Dibs dibs, Claimed claimed) {
        ClaimsBuilder claims = dibs.claims(claimed.table())
                .key(claimed.keys().toArray(String[]::new))
                .token(String.valueOf(claimed.token()));
        claims = claimed.until() == null ? claims : claims.until(claimed.until());
        claims = claimed.where().isEmpty() ? claims : claims.where(claimed.where());
        return claimed.order().isEmpty() ? claims : claims.orderBy(claimed.order());
    }

    /** What the command says of them. */
    public static List<Finding> advice(DataSource dataSource, Dibs dibs, Claimed claimed) throws Exception {
        Statements statements =
                Statements.load(DialectFolder.named(dibs.dialect().name()), "dibs_");
        return IndexAdvice.complete(claims(dibs, claimed).build().doctor(), dataSource, statements, claimed);
    }

    /** The statements of claims on it, which complete a row by {@code done_at = 1}; the key must be bigint. */
    public Statements claiming(Statements statements) {
        ColumnInfo key = new ColumnInfo("id", Types.BIGINT, "bigint", 19, 0, false);
        return PlannedClaims.ofTable(statements, name, key, "request_token", "claimed_until", "done_at = 1");
    }

    /** Completed rows, and then open ones. */
    public void fill(int finished, int open) throws SQLException {
        JobTable.fill(
                dataSource,
                name,
                "id, kind, what, done_at",
                finished + open,
                id -> id + ", 'a', 'row " + id + " and a text as long as such a row has it at least', "
                        + (id <= finished ? "1" : "NULL"));
    }

    public void run(String sql) throws SQLException {
        Sql.on(dataSource).run(sql);
    }

    @Override
    public void close() throws SQLException {
        run("DROP TABLE " + name);
    }
}
