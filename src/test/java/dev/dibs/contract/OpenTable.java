package dev.dibs.contract;

import dev.dibs.ClaimsBuilder;
import dev.dibs.Dibs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A table of the user's without any index but that of its key. */
final class OpenTable implements AutoCloseable {

    private final DataSource dataSource;
    private final String name = "work_" + Fixture.COUNT.incrementAndGet();

    /**
     * Makes it.
     *
     * @param key the column id, with its type and whatever makes it a key
     */
    OpenTable(DataSource dataSource, String key) throws SQLException {
        this.dataSource = dataSource;
        run("CREATE TABLE " + name + " (" + key + ", kind varchar(20), what varchar(200), done_at bigint,"
                + " request_token varchar(32), claimed_until bigint)");
    }

    String name() {
        return name;
    }

    ClaimsBuilder claims(Dibs dibs) {
        return dibs.claims(name)
                .key("id")
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL")
                .orderBy("id");
    }

    void dropIndex(String index, String database) throws SQLException {
        boolean ofTable = !database.startsWith("h2") && !database.startsWith("postgresql");
        run("DROP INDEX " + index + (ofTable ? " ON " + name : ""));
    }

    void run(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        run("DROP TABLE " + name);
    }
}
