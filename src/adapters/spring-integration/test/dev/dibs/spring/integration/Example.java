package dev.dibs.spring.integration;

import dev.dibs.Dibs;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** What the page shows. */
@Configuration
class Example {

    @Bean(destroyMethod = "close")
    Dibs dibs(DataSource dataSource) {
        Dibs dibs = Dibs.on(dataSource);
        dibs.admin().createSchema();
        return dibs;
    }

    @Bean
    DibsLockRegistry lockRegistry(Dibs dibs) {
        return new DibsLockRegistry(dibs, "orders");
    }

    @Bean
    LockRegistryLeaderInitiator leader(DibsLockRegistry locks) {
        return new LockRegistryLeaderInitiator(locks);
    }

    static boolean importFor(DibsLockRegistry registry, Runnable work) throws InterruptedException {
        DibsLock lock = registry.obtain("import");
        if (!lock.tryLock(Duration.ofSeconds(5), Duration.ofMinutes(1))) {
            return false;
        }
        try {
            work.run();
            registry.renewLock("import", Duration.ofMinutes(1)); // IllegalStateException if the lease is lost
            return true;
        } finally {
            lock.unlock(); // ConcurrentModificationException if the lease was lost
        }
    }
}
