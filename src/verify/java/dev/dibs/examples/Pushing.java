package dev.dibs.examples;

import static java.time.Duration.ofSeconds;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** What docs/reference/spring.md shows and describes. */
public class Pushing {

    private final Dibs dibs;
    private final DataSource dataSource;
    private final JdbcTemplate jdbc;
    private final String push;

    /** Over one data source, with an UPDATE of the user's. */
    public Pushing(Dibs dibs, DataSource dataSource, String push) {
        this.dibs = dibs;
        this.dataSource = dataSource;
        this.push = push;
        this.jdbc = new JdbcTemplate(dataSource);
    }

    public void push(Dibs dibs, DataSource dataSource, JdbcTemplate jdbc, TransactionTemplate transactions) {
        try (Lease lease = dibs.lock("sync", "42").acquire(ofSeconds(5))) {
            transactions.executeWithoutResult(status -> {
                lease.guard(DataSourceUtils.getConnection(dataSource)); // first; throws if the lease is lost
                jdbc.update(push); // by the same connection: guarded
            });
        }
    }

    @Transactional
    public void push(Lease lease) {
        lease.guard(DataSourceUtils.getConnection(dataSource));
        jdbc.update(push);
    }

    public void pushAlone(Lease lease, DataSource dataSource) {
        lease.inTransaction(dataSource, tx -> {
            JdbcTemplate guarded = new JdbcTemplate(new SingleConnectionDataSource(tx, true));
            guarded.update(push);
        });
    }

    record MailAdded(long id) {}

    @TransactionalEventListener // by default after the commit
    void added(MailAdded event) {
        dibs.run("mails").wake();
    }

    public void wrong(Lease lease, DataSource dataSource, JdbcTemplate jdbc) {
        lease.inTransaction(dataSource, tx -> jdbc.update(push));
    }
}
