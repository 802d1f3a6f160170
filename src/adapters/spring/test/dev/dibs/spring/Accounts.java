package dev.dibs.spring;

import dev.dibs.Dibs;
import dev.dibs.LeaseInfo;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Methods under a lock. */
class Accounts implements Interest {

    record Account(int id) {}

    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** What a test sees of a call, and what it does in the method. */
    static final class Watch implements TransactionSynchronization {

        final List<List<String>> seen = new ArrayList<>();
        Runnable inTheMethod = () -> {};

        private final Dibs dibs;

        Watch(Dibs dibs) {
            this.dibs = dibs;
        }

        void called() {
            look();
            TransactionSynchronizationManager.registerSynchronization(this);
            inTheMethod.run();
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            look();
        }

        @Override
        public void afterCommit() {
            look();
        }

        @Override
        public void afterCompletion(int status) {
            look();
        }

        private void look() {
            seen.add(dibs.admin().locks().stream().map(LeaseInfo::name).toList());
        }
    }

    private final JdbcTemplate jdbc;
    private final Watch watch;

    Accounts(JdbcTemplate jdbc, Watch watch) {
        this.jdbc = jdbc;
        this.watch = watch;
    }

    @Transactional
    @Locked(value = "account", key = "#id")
    public void add(int id, int amount) {
        write(id, amount);
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @Locked(value = "account", key = "#p0")
    public void addInANewTransaction(int id, int amount) {
        write(id, amount);
    }

    @Transactional
    @Locked(value = "account", key = "#id")
    public void addAndThrow(int id, int amount) throws Exception {
        write(id, amount);
        throw new Exception("checked");
    }

    @Transactional
    @Locked(value = "account", key = "#id", lease = false, waitFor = "${patience:0s}")
    public void addWithoutALease(int id, int amount) {
        write(id, amount);
    }

    @Transactional
    @Locked(value = "account", key = "#id", lease = false, waitFor = "30s")
    public void addLater(int id, int amount) {
        write(id, amount);
    }

    private void write(int id, int amount) {
        jdbc.update("UPDATE account SET amount = amount + ? WHERE id = ?", amount, id);
        watch.called();
    }

    @Locked(value = "account", key = "#id")
    public List<List<String>> lockAlone(int id) {
        watch.look();
        watch.inTheMethod.run();
        return watch.seen;
    }

    @Locked(value = "account", key = "#account")
    public void ofAnObject(Object account) {}

    @Locked(value = "account", key = "#account.id()", waitFor = "PT5S")
    public void ofAField(Account account) {}

    @Locked(value = "${spring.application.name}", waitFor = "${longest:1s}")
    public List<List<String>> withPlaceholders() {
        watch.look();
        return watch.seen;
    }

    @Override
    public List<List<String>> inherited() {
        watch.look();
        return watch.seen;
    }
}
