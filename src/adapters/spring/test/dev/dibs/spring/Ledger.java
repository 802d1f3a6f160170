package dev.dibs.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * A balance that is read and then written, and an entry for each change, in the same transaction. If a change is lost, the balance is
 * smaller than the number of entries.
 */
interface Ledger {

    /** Between the read and the write of a call. */
    @FunctionalInterface
    interface Between {
        void reached() throws Exception;
    }

    void add(int account, Between between) throws Exception;

    /** The tables, with one account. */
    static void create(JdbcTemplate jdbc, int account) {
        jdbc.execute("CREATE TABLE IF NOT EXISTS balance (id int PRIMARY KEY, amount int NOT NULL)");
        jdbc.execute("CREATE TABLE IF NOT EXISTS entry (account int NOT NULL)");
        jdbc.update("INSERT INTO balance VALUES (?, 0)", account);
    }

    static int amount(JdbcTemplate jdbc, int account) {
        return jdbc.queryForObject("SELECT amount FROM balance WHERE id = ?", Integer.class, account);
    }

    static int entries(JdbcTemplate jdbc, int account) {
        return jdbc.queryForObject("SELECT count(*) FROM entry WHERE account = ?", Integer.class, account);
    }

    /** By JDBC. */
    class ByJdbc implements Ledger {

        private final JdbcTemplate jdbc;

        ByJdbc(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Override
        @Transactional(rollbackFor = Exception.class)
        @Locked(value = "balance", key = "#account", waitFor = "${test.wait:5m}")
        public void add(int account, Between between) throws Exception {
            int amount = Ledger.amount(jdbc, account);
            jdbc.update("INSERT INTO entry VALUES (?)", account);
            between.reached();
            jdbc.update("UPDATE balance SET amount = ? WHERE id = ?", amount + 1, account);
        }
    }

    /** By JPA. */
    class ByJpa implements Ledger {

        @PersistenceContext
        private EntityManager entities;

        @Override
        @Transactional(rollbackFor = Exception.class)
        @Locked(value = "balance", key = "#account", waitFor = "${test.wait:5m}")
        public void add(int account, Between between) throws Exception {
            Balance balance = entities.find(Balance.class, account);
            int amount = balance.amount;
            entities.createNativeQuery("INSERT INTO entry VALUES (" + account + ")")
                    .executeUpdate();
            between.reached();
            balance.amount = amount + 1;
        }
    }

    /** For JPA. */
    @Entity
    @Table(name = "balance")
    class Balance {
        @Id
        int id;

        int amount;

        protected Balance() {}
    }
}
