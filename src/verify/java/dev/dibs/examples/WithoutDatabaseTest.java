package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseCall;
import dev.dibs.LeaseLostException;
import dev.dibs.TransactionCall;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application tests its own code with locks and leases of its own making. */
@Tag("unit")
class WithoutDatabaseTest {

    /** What is to be tested: it exports, unless another node is at it or takes over in between. */
    private record Export(Acquirable<Lease> lock) {
        String run() {
            return lock.tryAcquire()
                    .map(lease -> {
                        try (lease) {
                            lease.check();
                            return "exported under " + lease.fencingToken();
                        } catch (LeaseLostException e) {
                            return "stopped";
                        }
                    })
                    .orElse("busy");
        }
    }

    @Test
    void aLockThatIsFreeBusyOrLost() {
        assertThat(new Export(new FakeLock(new FakeLease(false))).run()).isEqualTo("exported under 7");
        assertThat(new Export(new FakeLock(new FakeLease(true))).run()).isEqualTo("stopped");
        assertThat(new Export(new FakeLock(null)).run()).isEqualTo("busy");
    }

    private record FakeLock(FakeLease lease) implements Acquirable<Lease> {
        @Override
        public String name() {
            return "export";
        }

        @Override
        public Acquirable<Lease> leaseLength(Duration length) {
            return this;
        }

        @Override
        public Optional<Lease> tryAcquire(Duration wait) {
            return Optional.ofNullable(lease);
        }

        @Override
        public Lease acquire(Duration wait) {
            return tryAcquire(wait).orElseThrow();
        }

        @Override
        public <T, X extends Exception> Optional<T> tryCall(LeaseCall<? super Lease, T, X> work) throws X {
            return lease == null ? Optional.empty() : Optional.of(work.call(lease));
        }

        @Override
        public <T, X extends Exception> T call(Duration wait, LeaseCall<? super Lease, T, X> work) throws X {
            return work.call(acquire(wait));
        }
    }

    private record FakeLease(boolean isLost) implements Lease {
        @Override
        public String name() {
            return "export";
        }

        @Override
        public long fencingToken() {
            return 7;
        }

        @Override
        public Optional<Takeover> takeover() {
            return Optional.empty();
        }

        @Override
        public boolean isValid() {
            return !isLost;
        }

        @Override
        public Duration remaining() {
            return isLost ? Duration.ZERO : Duration.ofSeconds(30);
        }

        @Override
        public void check() {
            if (isLost) {
                throw new LeaseLostException("export", 7, "the test wants it so");
            }
        }

        @Override
        public void onLost(Consumer<? super LeaseLostException> callback) {
            // Nothing is lost later.
        }

        @Override
        public void guard(Connection connection) {
            check();
        }

        @Override
        public <T, X extends Exception> T callInTransaction(DataSource dataSource, TransactionCall<T, X> work)
                throws X {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean release() {
            return !isLost;
        }

        @Override
        public void close() {
            // It has nothing to give back.
        }
    }
}
