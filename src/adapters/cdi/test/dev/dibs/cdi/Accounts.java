package dev.dibs.cdi;

import dev.dibs.database.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Methods under a lock. */
@ApplicationScoped
class Accounts {

    record Account(int id) {}

    record Owner(Account account) {

        Account getSecret() {
            return account;
        }
    }

    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** What a test sees of a call, and what it does in the method. */
    static final class Watch implements Synchronization {

        final List<List<String>> seen = new ArrayList<>();
        Runnable inTheMethod = () -> {};

        private final Sql outside;

        Watch(DataSource outside) {
            this.outside = Sql.on(outside);
        }

        @Override
        public void beforeCompletion() {
            look();
        }

        @Override
        public void afterCompletion(int status) {
            look();
        }

        private void look() {
            try {
                seen.add(outside.texts("SELECT name FROM dibs_lock WHERE owner IS NOT NULL"));
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Inject
    DataSource dataSource;

    @Inject
    TransactionSynchronizationRegistry transactions;

    @Transactional
    @Locked("account")
    public void add(@LockKey int id, int amount, Watch watch) throws SQLException {
        write(id, amount, watch);
    }

    @Transactional(TxType.REQUIRES_NEW)
    @Locked("account")
    public void addInANewTransaction(@LockKey int id, int amount, Watch watch) throws SQLException {
        write(id, amount, watch);
    }

    @Transactional(dontRollbackOn = RuntimeException.class)
    @Locked("account")
    public void addAndKeep(@LockKey int id, int amount, Watch watch) throws SQLException {
        write(id, amount, watch);
    }

    @Transactional
    @Locked("account")
    public void addAndThrow(@LockKey int id, int amount, Watch watch) throws Exception {
        write(id, amount, watch);
        throw new Exception("checked");
    }

    @Transactional
    @Locked(value = "account", lease = false, waitFor = "30s")
    public void addWithoutALease(@LockKey int id, int amount, Watch watch) throws SQLException {
        write(id, amount, watch);
    }

    private void write(int id, int amount, Watch watch) throws SQLException {
        Sql.on(dataSource).change("UPDATE account SET amount = amount + ? WHERE id = ?", amount, id);
        watch.look();
        transactions.registerInterposedSynchronization(watch);
        watch.inTheMethod.run();
    }

    @Locked("account")
    public List<List<String>> lockAlone(@LockKey int id, Watch watch) {
        watch.look();
        watch.inTheMethod.run();
        return watch.seen;
    }

    @Locked("everything")
    public List<List<String>> withoutAKey(Watch watch) {
        watch.look();
        return watch.seen;
    }

    @Locked("account")
    public void ofAnObject(@LockKey Object account) {}

    @Locked(value = "account", waitFor = "PT5S")
    public List<List<String>> ofAField(@LockKey("account.id") Owner owner, Watch watch) {
        watch.look();
        return watch.seen;
    }

    @Locked("account")
    public void ofASecret(@LockKey("secret") Owner owner) {}

    public List<List<String>> withinTheObject(Watch watch) {
        watch.look();
        return lockAlone(1, watch);
    }
}
