package dev.dibs.spring.boot3;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import java.time.Duration;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/**
 * DOWN if no lock can be acquired: the database cannot be reached or written, or the table is missing. A held lock is no failure. Each check
 * acquires a lock of its own and releases it.
 */
final class DibsHealthIndicator extends AbstractHealthIndicator {

    private static final String TRIAL = "dibs health";

    private final Dibs dibs;

    DibsHealthIndicator(Dibs dibs) {
        super("No lock can be acquired");
        this.dibs = dibs;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        dibs.lock(TRIAL).leaseLength(Duration.ofSeconds(1)).tryAcquire().ifPresent(Lease::close);
        health.up().withDetail("dialect", dibs.dialect().name());
    }
}
