package dev.dibs.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.FullRun;
import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** The interface of 7.0; before that it does not exist. */
@FullRun
@Tag("unit")
@SuppressWarnings("LockNotBeforeTry")
class DistributedLockTest {

    /** A bean that asks for it by its type. */
    record Asking(LockRegistry<DistributedLock> locks) {}

    @Test
    void aLockHasALeaseOfItsOwnLength() throws Exception {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:distributed;DB_CLOSE_DELAY=-1");
        try (Dibs dibs = Dibs.on(dataSource);
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            dibs.admin().createSchema();
            DibsLockRegistry registry = new DibsLockRegistry(dibs, "distributed");
            context.registerBean(DibsLockRegistry.class, () -> registry);
            context.register(Asking.class);
            context.refresh();
            DistributedLock lock = context.getBean(Asking.class).locks().obtain("key");
            Duration length = Duration.ofMinutes(10);
            assertThat(lock.tryLock(Duration.ZERO, length)).isTrue();
            lock.lock(length);
            Lease lease = registry.obtain("key").lease().orElseThrow();
            assertThat(lease.remaining()).isGreaterThan(length.dividedBy(2));
            lock.unlock();
            lock.unlock();
        }
    }
}
