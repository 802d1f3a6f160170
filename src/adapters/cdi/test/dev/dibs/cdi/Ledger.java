package dev.dibs.cdi;

import dev.dibs.database.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A balance that is read and then written, and an entry for each change, in the same transaction. If a change is lost, the balance is
 * smaller than the number of entries.
 */
@ApplicationScoped
class Ledger {

    /** Between the read and the write of a call. */
    @FunctionalInterface
    interface Between {
        void reached() throws Exception;
    }

    @Inject
    DataSource dataSource;

    @Inject
    TransactionSynchronizationRegistry transactions;

    /** The tables, with one account. */
    static void create(Sql sql, int account) throws SQLException {
        sql.run(
                "CREATE TABLE IF NOT EXISTS balance (id int PRIMARY KEY, amount int NOT NULL)",
                "CREATE TABLE IF NOT EXISTS entry (account int NOT NULL)");
        sql.change("INSERT INTO balance VALUES (?, 0)", account);
    }

    static long amount(Sql sql, int account) throws SQLException {
        return sql.number("SELECT amount FROM balance WHERE id = ?", account);
    }

    static long entries(Sql sql, int account) throws SQLException {
        return sql.number("SELECT count(*) FROM entry WHERE account = ?", account);
    }

    @Transactional(rollbackOn = Exception.class)
    @Locked(value = "balance", waitFor = "5m")
    public void add(@LockKey int account, Between between) throws Exception {
        change(account, between);
    }

    @Transactional(rollbackOn = Exception.class)
    @Locked(value = "balance", waitFor = "1s")
    public void addSoon(@LockKey int account, Between between) throws Exception {
        change(account, between);
    }

    @Transactional(rollbackOn = Exception.class)
    @Locked(value = "balance", waitFor = "5m")
    public void addAndRollBack(@LockKey int account, Between between) throws Exception {
        change(account, between);
        transactions.setRollbackOnly();
    }

    private void change(int account, Between between) throws Exception {
        Sql sql = Sql.on(dataSource);
        long amount = amount(sql, account);
        sql.change("INSERT INTO entry VALUES (?)", account);
        between.reached();
        sql.change("UPDATE balance SET amount = ? WHERE id = ?", amount + 1, account);
    }
}
