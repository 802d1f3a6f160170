package dev.dibs.bench;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** The usual alternatives for a lock in a database, each set up by its documentation for several processes. */
final class LockPeers {

    private static final Duration LEASE = Duration.ofMinutes(5);

    private final JdbcTemplate jdbc;
    private final LockProvider shedLock;
    private final JdbcLockRegistry springIntegration;

    /** Creates their tables, on a database without them. */
    LockPeers(DataSource dataSource, String schema) throws SQLException {
        jdbc = new JdbcTemplate(dataSource);
        shedLock = shedLock();
        springIntegration = springIntegration(dataSource, schema);
    }

    /** By the database's clock. */
    private LockProvider shedLock() {
        jdbc.execute("CREATE TABLE shedlock (name varchar(64) NOT NULL, lock_until timestamp(3) NOT NULL,"
                + " locked_at timestamp(3) NOT NULL, locked_by varchar(255) NOT NULL, PRIMARY KEY (name))");
        return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(jdbc)
                .usingDbTime()
                .build());
    }

    private static JdbcLockRegistry springIntegration(DataSource dataSource, String schema) {
        new ResourceDatabasePopulator(new ClassPathResource("org/springframework/integration/jdbc/" + schema))
                .execute(dataSource);
        DefaultLockRepository repository = new DefaultLockRepository(dataSource);
        repository.setTransactionManager(new DataSourceTransactionManager(dataSource));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        return new JdbcLockRegistry(repository, LEASE);
    }

    Operation shedLock(int thread) {
        String name = "name-" + thread;
        return () -> {
            Optional<SimpleLock> lock = Optional.empty();
            // It may find its own end of a moment ago in the future, rounded up.
            while (lock.isEmpty()) {
                lock = shedLock.lock(new LockConfiguration(Instant.now(), name, LEASE, Duration.ZERO));
            }
            lock.get().unlock();
        };
    }

    Operation springIntegration(int thread) {
        Lock lock = springIntegration.obtain("name-" + thread);
        return () -> {
            // It reports the lock as held if the database has rolled its transaction back.
            while (!lock.tryLock()) {
                Thread.onSpinWait();
            }
            lock.unlock();
        };
    }
}
