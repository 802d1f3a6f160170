package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** Jobs of customers, of which each may have only some in work. A customer has a region, too, which may be NULL as the customer may. */
final class PerKeyTable implements AutoCloseable {
    private final DataSource dataSource;
    private final String table = "turns_" + Fixture.COUNT.incrementAndGet();
    private long last;

    PerKeyTable(DataSource dataSource, String customerType) throws SQLException {
        this.dataSource = dataSource;
        run(
                "CREATE TABLE " + table + " (id bigint NOT NULL PRIMARY KEY, customer " + customerType
                        + ", region bigint, done_at bigint, request_token varchar(32), claimed_until bigint)",
                "CREATE INDEX " + table + "_turn ON " + table + " (done_at, customer, region, id)",
                "CREATE INDEX " + table + "_all ON " + table + " (customer, region, id)",
                "CREATE INDEX " + table + "_token ON " + table + " (request_token)");
    }

    void add(String customer, String region, int jobs) throws SQLException {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            rows.add("(" + ++last + ", " + customer + ", " + region + ")");
        }
        run("INSERT INTO " + table + " (id, customer, region) VALUES " + String.join(", ", rows));
    }

    /**
     * A postponed job for each customer of this list.
     *
     * @param customers each the customer and the region, as in a statement
     */
    void addWaiting(List<String> customers, boolean besides) throws SQLException {
        List<String> rows = new ArrayList<>();
        List<String> marks = new ArrayList<>();
        for (String customer : customers) {
            rows.add("(" + ++last + ", " + customer + (besides ? ", NULL, NULL)" : ", 'dibs-later', 9000000000000)"));
            marks.add("('" + table + "', '" + last + "', 'dibs-later', 9000000000000)");
        }
        run("INSERT INTO " + table + " (id, customer, region, request_token, claimed_until) VALUES "
                + String.join(", ", rows));
        if (besides) {
            run("INSERT INTO dibs_claim (scope, row_key, token, held_until) VALUES " + String.join(", ", marks));
        }
    }

    /** The same for the customers 1 and so on, without a region. */
    void addWaiting(int customers, boolean besides) throws SQLException {
        addWaiting(
                IntStream.rangeClosed(1, customers)
                        .mapToObj(customer -> customer + ", NULL")
                        .toList(),
                besides);
    }

    String name() {
        return table;
    }

    void add(String customer, int jobs) throws SQLException {
        add(customer, "NULL", jobs);
    }

    ClaimsBuilder claims(Dibs dibs, boolean besides) {
        ClaimsBuilder open = dibs.claims(table)
                .key("id")
                .where("done_at IS NULL")
                .orderBy("id")
                .completeSet("done_at = 1")
                .leaseLength(Duration.ofMinutes(10));
        return besides ? open.sideTable() : open.token("request_token").until("claimed_until");
    }

    /** Of at most one row of a customer at a time. */
    RowClaims<RowKey> perCustomer(Dibs dibs, boolean besides) {
        return claims(dibs, besides).perKey("customer", 1).build();
    }

    /** The customer of a job; -1 for none. */
    long customer(RowKey key) throws SQLException {
        return Sql.on(dataSource).number("SELECT coalesce(customer, -1) FROM " + table + " WHERE id = " + key.asLong());
    }

    void run(String... statements) throws SQLException {
        for (String sql : statements) {
            Sql.on(dataSource).run(sql);
        }
    }

    /** Locks the row until the transaction ends. */
    void lock(Connection other, long id) throws SQLException {
        Sql.on(other).run("UPDATE " + table + " SET region = region WHERE id = " + id);
    }

    /** Lets all claims expire. */
    void expire() throws SQLException {
        run(
                "UPDATE " + table + " SET claimed_until = 4 WHERE claimed_until IS NOT NULL",
                "UPDATE dibs_claim SET held_until = 5 WHERE scope = '" + table + "'");
    }

    @Override
    public void close() throws SQLException {
        run("DROP TABLE " + table);
    }
}
