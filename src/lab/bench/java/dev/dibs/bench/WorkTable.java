package dev.dibs.bench;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.database.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A user's table with open and completed rows, in the best form for each database. */
final class WorkTable {
    /** Numbers from 1 on, the table's options, and the indexes that the doctor recommends. */
    private record Dialect(String numbers, String options, List<String> indexes, String tidy) {}

    private static final Map<String, Dialect> DIALECTS = Map.of(
            "postgresql",
            new Dialect(
                    "SELECT n FROM generate_series(1, %d) AS n",
                    " WITH (fillfactor = 70)",
                    List.of("CREATE INDEX %1$s_open ON %1$s (id) WHERE done_at IS NULL"),
                    "VACUUM ANALYZE %s"),
            "h2",
            new Dialect(
                    "SELECT x AS n FROM system_range(1, %d)",
                    "", List.of("CREATE INDEX %1$s_open ON %1$s (done_at, id)"), "ANALYZE TABLE %s"),
            "mariadb",
            new Dialect(
                    "SELECT seq AS n FROM seq_1_to_%d",
                    "",
                    List.of(
                            "CREATE INDEX %1$s_open ON %1$s (done_at, id)",
                            "CREATE INDEX %1$s_token ON %1$s (request_token)"),
                    "ANALYZE TABLE %s"));

    private final DataSource dataSource;
    private final Dialect dialect;
    private final String name;

    WorkTable(String database, DataSource dataSource, String name) {
        this.dialect = DIALECTS.get(database);
        this.dataSource = dataSource;
        this.name = name;
    }

    /** Creates it anew: first come the completed rows. */
    void fill(int done, int open) throws SQLException {
        Sql.on(dataSource).run("DROP TABLE IF EXISTS " + name);
        Sql.on(dataSource)
                .run("CREATE TABLE " + name + " (id bigint NOT NULL PRIMARY KEY, what varchar(200), done_at bigint,"
                        + " request_token varchar(32), claimed_until bigint)" + dialect.options());
        Sql.on(dataSource)
                .run("INSERT INTO " + name + " (id, what, done_at) SELECT n, concat('job ', n), CASE WHEN n <= " + done
                        + " THEN 1 END FROM (" + dialect.numbers().formatted(done + open) + ") AS numbers");
        for (String index : dialect.indexes()) {
            Sql.on(dataSource).run(index.formatted(name));
        }
        Sql.on(dataSource).run(dialect.tidy().formatted(name));
    }

    String name() {
        return name;
    }

    /** Claims that end by time. */
    ClaimsBuilder claims(Dibs dibs) {
        return dibs.claims(name)
                .key("id")
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL")
                .orderBy("id")
                .completeSet("done_at = 1");
    }
}
