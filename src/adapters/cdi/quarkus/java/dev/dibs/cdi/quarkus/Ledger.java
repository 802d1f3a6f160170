package dev.dibs.cdi.quarkus;

import dev.dibs.cdi.LockKey;
import dev.dibs.cdi.Locked;
import dev.dibs.cdi.OncePer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * A balance that is read and then written, and an entry for each change, in the same transaction. If a change is lost, the balance is
 * smaller than the number of entries.
 */
@ApplicationScoped
public class Ledger {

    /** A customer's account. */
    public record Account(int id) {}

    @Inject
    DataSource dataSource;

    @Inject
    TransactionSynchronizationRegistry transactions;

    /** Creates the tables, with one account. */
    public void create(int account) throws SQLException {
        run("CREATE TABLE IF NOT EXISTS balance (id int PRIMARY KEY, amount int NOT NULL)");
        run("CREATE TABLE IF NOT EXISTS entry (account int NOT NULL)");
        run("INSERT INTO balance VALUES (" + account + ", 0)");
    }

    /** Adds one. */
    @Transactional
    @Locked(value = "balance", waitFor = "5m")
    public void add(@LockKey int account) throws SQLException {
        change(account);
    }

    /** Adds one, in a transaction that has the lock itself. */
    @Transactional
    @Locked(value = "balance", waitFor = "5m", lease = false)
    public void addWithoutALease(@LockKey int account) throws SQLException {
        change(account);
    }

    /** Adds one, and throws. */
    @Transactional
    @Locked(value = "balance", waitFor = "5m")
    public void addAndThrow(@LockKey int account) throws SQLException {
        change(account);
        throw new IllegalArgumentException("no more");
    }

    /** Adds one, and rolls back. */
    @Transactional
    @Locked(value = "balance", waitFor = "5m")
    public void addAndRollBack(@LockKey int account) throws SQLException {
        change(account);
        transactions.setRollbackOnly();
    }

    /** Names the locks that are held, under the lock alone. */
    @Locked("balance")
    public String locks(@LockKey("id") Account account) throws SQLException {
        return text("SELECT name FROM dibs_lock WHERE owner IS NOT NULL");
    }

    /** Calls a method of the same object. */
    public String locksWithinTheObject(int account) throws SQLException {
        return locks(new Account(account));
    }

    /** Adds one, once a month. */
    @Transactional
    @OncePer("P30D")
    public void addMonthly(int account) throws SQLException {
        change(account);
    }

    /** The balance and the number of entries. */
    public String state(int account) throws SQLException {
        return text("SELECT amount FROM balance WHERE id = " + account) + " of "
                + text("SELECT count(*) FROM entry WHERE account = " + account);
    }

    private void change(int account) throws SQLException {
        int amount = Integer.parseInt(text("SELECT amount FROM balance WHERE id = " + account));
        run("INSERT INTO entry VALUES (" + account + ")");
        run("UPDATE balance SET amount = " + (amount + 1) + " WHERE id = " + account);
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }
}
