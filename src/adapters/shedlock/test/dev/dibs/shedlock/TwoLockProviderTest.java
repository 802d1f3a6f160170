package dev.dibs.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two locks whose database fails in between. */
@Tag("unit")
class TwoLockProviderTest {

    private final List<String> unlocked = new ArrayList<>();

    private final class FailingLock extends AbstractSimpleLock {

        private final String name;

        FailingLock(String name, LockConfiguration wanted) {
            super(wanted);
            this.name = name;
        }

        @Override
        protected void doUnlock() {
            unlocked.add(name);
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration more) {
            throw new IllegalStateException("no answer");
        }
    }

    @Test
    void bothLocksAreReleasedIfOneCannotBeHeldBack() {
        TwoLockProvider locks = new TwoLockProvider(
                wanted -> Optional.of(new FailingLock("former", wanted)),
                wanted -> Optional.of(new FailingLock("ours", wanted)));
        LockConfiguration wanted =
                new LockConfiguration(Instant.now(), "task", Duration.ofMinutes(1), Duration.ofSeconds(1));
        assertThatThrownBy(() -> locks.lock(wanted)).hasMessage("no answer");
        assertThat(unlocked).containsExactly("former", "ours");
    }

    private final class ExtensibleLock extends AbstractSimpleLock {

        ExtensibleLock(LockConfiguration wanted) {
            super(wanted);
        }

        @Override
        protected void doUnlock() {
            unlocked.add("former");
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration more) {
            return Optional.of(new ExtensibleLock(more));
        }
    }

    /** ShedLock refuses to unlock a lock that was extended: its extension must be. */
    @Test
    void bothLocksAreReleasedAfterAnExtensionThatFails() {
        TwoLockProvider locks = new TwoLockProvider(
                wanted -> Optional.of(new ExtensibleLock(wanted)),
                wanted -> Optional.of(new FailingLock("ours", wanted)));
        SimpleLock both = locks.lock(new LockConfiguration(Instant.now(), "task", Duration.ofMinutes(1), Duration.ZERO))
                .orElseThrow();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> both.extend(Duration.ofMinutes(2), Duration.ZERO))
                    .hasMessage("no answer");
        }
        both.unlock();
        assertThat(unlocked).containsExactly("former", "ours");
    }
}
