package dev.dibs.micrometer;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a tracer sees. */
@OnEachDatabase(H2Database.class)
@FullRun
@Tag("contract")
class AcquireObservationTest implements DatabaseUser {

    private final String kind = "kind-" + UUID.randomUUID();
    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private final LockMetrics metrics = new LockMetrics(new SimpleMeterRegistry(), observations, List.of(kind));
    private DataSource pool;

    @Override
    public void use(TestDatabase database) {
        pool = database.shared();
    }

    @Test
    void aCallIsAChildOfTheCallersObservationAndCurrentWhileItRuns() {
        FaultyDataSource watched = new FaultyDataSource(pool);
        List<String> current = new CopyOnWriteArrayList<>();
        Observation request = Observation.start("request", observations);
        try (Dibs dibs = Dibs.builder(watched).listener(metrics).build();
                Observation.Scope scope = request.openScope()) {
            watched.on(sql -> true)
                    .here()
                    .always()
                    .actBefore(() -> current.add(
                            observations.getCurrentObservation().getContext().getName()));
            dibs.lock(kind, 1).acquire(Duration.ZERO).close();
            assertThat(current).startsWith("dibs.acquire").endsWith("request");
            assertThat(observations.getCurrentObservation()).isSameAs(request);
        } finally {
            request.stop();
        }
        assertThat(observations)
                .doesNotHaveAnyRemainingCurrentObservation()
                .hasNumberOfObservationsWithNameEqualTo("dibs.acquire", 1)
                .hasObservationWithNameEqualTo("dibs.acquire")
                .that()
                .hasBeenStarted()
                .hasBeenStopped()
                .doesNotHaveError()
                .hasParentObservationEqualTo(request)
                .hasContextualNameEqualTo("acquire " + kind)
                .hasLowCardinalityKeyValue("lock", kind)
                .hasLowCardinalityKeyValue("outcome", "acquired")
                .hasHighCardinalityKeyValue("dibs.name", kind + ":1");
    }

    @Test
    void aBusyCallNamesTheHolder() {
        try (Dibs here = Dibs.builder(pool).listener(metrics).build();
                Dibs there = Dibs.builder(pool).holder("rival").build();
                Lease rival = there.lock(kind, 2).acquire(Duration.ZERO)) {
            assertThat(here.lock(kind, 2).tryAcquire()).isEmpty();
            rival.check();
        }
        assertThat(observations)
                .hasSingleObservationThat()
                .hasBeenStopped()
                .doesNotHaveError()
                .hasLowCardinalityKeyValue("outcome", "busy")
                .hasHighCardinalityKeyValue("dibs.holder", "rival");
    }

    @Test
    void aCallThatFailsHasItsError() {
        FaultyDataSource faulty = new FaultyDataSource(pool);
        Throwable thrown;
        try (Dibs dibs = Dibs.builder(faulty).listener(metrics).build()) {
            faulty.on(sql -> true).here().always().fail("42501", 0);
            thrown = catchThrowable(() -> dibs.lock(kind, 3).acquire(Duration.ZERO));
            faulty.heal();
        }
        assertThat(observations)
                .hasSingleObservationThat()
                .hasBeenStopped()
                .hasLowCardinalityKeyValue("outcome", "failed")
                .hasError(thrown);
    }

    @Test
    void anInterruptedCallLeavesNoObservationBehind() {
        try (Dibs here = Dibs.builder(pool).listener(metrics).build();
                Dibs there = Dibs.on(pool);
                Lease rival = there.lock(kind, 4).acquire(Duration.ZERO)) {
            Thread.currentThread().interrupt();
            Throwable thrown = catchThrowable(() -> here.lock(kind, 4).acquire(Duration.ofMinutes(1)));
            assertThat(Thread.interrupted()).isTrue();
            rival.check();
            assertThat(observations)
                    .doesNotHaveAnyRemainingCurrentObservation()
                    .hasSingleObservationThat()
                    .hasBeenStopped()
                    .hasLowCardinalityKeyValue("outcome", "interrupted")
                    .hasError(thrown);
        }
    }
}
