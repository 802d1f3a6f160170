package dev.dibs.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.TestDatabase;
import java.time.Duration;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests that ShedLock has for its own providers. */
@OnEachDatabase
@FullRun
@Tag("contract")
class ShedLockSuiteTest extends AbstractExtensibleLockProviderIntegrationTest implements DatabaseUser {

    private Dibs here;
    private Dibs there;

    @Override
    public void use(TestDatabase database) {
        here = Dibs.on(database.shared());
        there = Dibs.on(database.shared());
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return new DibsLockProvider(here);
    }

    /** MariaDB and MySQL release in the background if another caller asks at that instant. */
    @Override
    protected void assertUnlocked(String name) {
        there.lock(name).acquire(Duration.ofSeconds(2)).close();
    }

    @Override
    protected void assertLocked(String name) {
        assertThat(there.lock(name).tryAcquire()).isEmpty();
    }

    /** With its leases of 50 ms a slow machine would fail it. */
    @Override
    @Test
    public void shouldTimeout() {
        Duration atMost = Duration.ofMillis(500);
        assertThat(getLockProvider().lock(lockConfig(LOCK_NAME1, atMost, Duration.ZERO)))
                .isPresent();
        assertLocked(LOCK_NAME1);
        sleepFor(atMost.multipliedBy(2));
        assertUnlocked(LOCK_NAME1);
        assertThat(getLockProvider().lock(lockConfig(LOCK_NAME1))).isPresent();
    }

    @Override
    @Test
    @Disabled("it needs a lease of 2 ms; the shortest one is 50 ms")
    public void shouldNotBeAbleToExtendExpiredLock() {
        throw new UnsupportedOperationException();
    }
}
