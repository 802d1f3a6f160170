package dev.dibs.contract.locks.guard;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;

/** A table with the number of what was sold, for the contracts of locks for one transaction. */
abstract class SaleFixture extends ContractFixture {

    String table;

    @BeforeEach
    void makeTable() throws SQLException {
        table = table("num int");
        sql().run("INSERT INTO " + table + " (num) VALUES (0)");
    }

    /** Reads, and writes what it has read plus one: two at a time would lose a sale. */
    final void sell(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.change("UPDATE " + table + " SET num = ?", sql.number("SELECT num FROM " + table) + 1);
    }

    final long sold() throws SQLException {
        return sql().number("SELECT num FROM " + table);
    }
}
