package dev.dibs.bench;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The loop that a developer would write by hand for PostgreSQL, and no less: complete the current rows and claim the next ones, in one
 * round trip and one commit. No switches, no count, no retry, no renewal.
 */
final class BareLoop {
    private static final String TURN = """
            WITH a AS MATERIALIZED (SELECT ?::bigint[] AS ids)
            UPDATE %1$s SET done_at = 1, request_token = NULL, claimed_until = NULL
             WHERE id = ANY (ARRAY(SELECT unnest(a.ids) FROM a)) AND request_token = ?;
            UPDATE %1$s
               SET request_token = ?, claimed_until = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 60000
             WHERE id = ANY (ARRAY(SELECT id FROM %1$s
                                    WHERE done_at IS NULL AND request_token IS NULL
                                    ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED))
            RETURNING id
            """;

    private final DataSource dataSource;
    private final String sql;

    BareLoop(DataSource dataSource, WorkTable table) {
        this.dataSource = dataSource;
        this.sql = TURN.formatted(table.name());
    }

    /** Returns the seconds until all threads found no more rows. */
    double run(int threads, int batch) throws Exception {
        return Crew.seconds(threads, () -> work(batch));
    }

    private void work(int batch) throws SQLException {
        List<Long> ids = List.of();
        String token = "";
        do {
            String next = UUID.randomUUID().toString().replace("-", "");
            ids = turn(ids, token, next, batch);
            token = next;
        } while (!ids.isEmpty());
    }

    private List<Long> turn(List<Long> done, String token, String next, int batch) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            Array ids = connection.createArrayOf("bigint", done.toArray());
            statement.setArray(1, ids);
            statement.setString(2, token);
            statement.setString(3, next);
            statement.setInt(4, batch);
            statement.execute();
            statement.getMoreResults();
            return ids(statement);
        }
    }

    private static List<Long> ids(PreparedStatement statement) throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }
}
