package dev.dibs.bench;

import dev.dibs.database.Sql;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Questions and orders to PostgreSQL beside the measured work, on connections of its own. */
record PostgresServer(DataSource dataSource) {

    /** A position in the write-ahead log: inserted, passed to the operating system, known to be on the disk. */
    record Position(String inserted, String written, String flushed) {}

    /** Bytes of write-ahead log, in the same three senses. */
    record Wal(long inserted, long written, long flushed) {}

    /** Writes all pending pages, so that they do not mix with later writes. */
    void checkpoint() throws SQLException {
        Sql.on(dataSource).run("CHECKPOINT");
    }

    Position position() throws SQLException {
        return Sql.on(dataSource)
                .rows(
                        row -> new Position(row.getString(1), row.getString(2), row.getString(3)),
                        "SELECT pg_current_wal_insert_lsn(), pg_current_wal_lsn(), pg_current_wal_flush_lsn()")
                .get(0);
    }

    Wal since(Position start) throws SQLException {
        String difference = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), ?::pg_lsn),"
                + " pg_wal_lsn_diff(pg_current_wal_lsn(), ?::pg_lsn),"
                + " pg_wal_lsn_diff(pg_current_wal_flush_lsn(), ?::pg_lsn)";
        return Sql.on(dataSource)
                .rows(
                        row -> new Wal(row.getLong(1), row.getLong(2), row.getLong(3)),
                        difference,
                        start.inserted(),
                        start.written(),
                        start.flushed())
                .get(0);
    }

    String ask(String query) throws SQLException {
        return Sql.on(dataSource).text(query);
    }
}
