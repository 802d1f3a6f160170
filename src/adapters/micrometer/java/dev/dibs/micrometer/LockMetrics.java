package dev.dibs.micrometer;

import dev.dibs.AcquireEnd;
import dev.dibs.AcquireEnd.Outcome;
import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.NotAcquiredException;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Observes each call that acquires, and times each lease, by the lock's name: {@code Dibs.builder(dataSource).listener(new
 * LockMetrics(registry, "invoices", "order"))}.
 *
 * <p>Names can be many, so only registered ones become the value of the tag {@code lock}. A registered name stands for the lock of that
 * name, and for all locks of that kind: {@code order} also for {@code dibs.lock("order", 42)}. All others count as {@code other}. The
 * meters of registered names exist from the start, with the value zero.
 *
 * <p>A call is an {@link Observation} with the name {@value #ACQUIRE}, from its begin to its end on the thread of the caller. It is a
 * child of the observation that is current there, and is itself current while the call runs. Its timer is made by the handler for
 * meters of the {@link ObservationRegistry}; other handlers may trace it. A trace has the whole name of the lock, and the holder that
 * was in the way.
 *
 * <p>Safe for use by any thread, and for several instances of Dibs, whose times are added up. What a handler throws is logged, and the
 * call goes on.
 */
public final class LockMetrics implements DibsListener {

    static final String ACQUIRE = "dibs.acquire";
    static final String HOLD = "dibs.hold";
    static final String OTHER = "other";

    private static final String LOCK = "lock";
    private static final String OUTCOME = "outcome";
    private static final String NO_ERROR = "none";

    private final ObservationRegistry observations;
    private final Map<String, HoldTimes> holdTimes = new HashMap<>();

    /** How long the leases of one value of the tag were held. */
    private record HoldTimes(Timer released, Timer lost) {}

    /**
     * Calls are only counted, not traced.
     *
     * @param meters where the meters are registered, now
     * @param locks the registered names
     * @throws IllegalArgumentException if one is null, empty or {@code other}
     */
    public LockMetrics(MeterRegistry meters, String... locks) {
        this(meters, countedBy(meters), List.of(locks));
    }

    /**
     * Calls are also traced, or what else the handlers of the second registry do.
     *
     * @param meters where the meters are registered, now
     * @param observations with a {@link DefaultMeterObservationHandler} for the same meters, as that of Spring Boot. Without one
     *     calls are not counted
     * @param locks the registered names
     * @throws IllegalArgumentException if one is null, empty or {@code other}
     */
    public LockMetrics(MeterRegistry meters, ObservationRegistry observations, Collection<String> locks) {
        this.observations = observations;
        locks.forEach(lock -> register(meters, checked(lock)));
        register(meters, OTHER);
    }

    private static ObservationRegistry countedBy(MeterRegistry meters) {
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        return observations;
    }

    private static String checked(String lock) {
        if (lock == null || lock.isEmpty() || lock.equals(OTHER)) {
            throw new IllegalArgumentException("the name of a lock with a tag of its own is "
                    + (lock == null ? "null" : "'" + lock + "'")
                    + "; it must have a character, and '" + OTHER + "' stands for all locks that are not registered");
        }
        return lock;
    }

    /** The handler for meters uses the same names and tags, so it finds these meters. */
    private void register(MeterRegistry meters, String lock) {
        acquire(meters, lock, Outcome.ACQUIRED, NO_ERROR);
        acquire(meters, lock, Outcome.BUSY, NO_ERROR);
        acquire(meters, lock, Outcome.INTERRUPTED, NotAcquiredException.class.getSimpleName());
        acquire(meters, lock, Outcome.FAILED, DatabaseFailureException.class.getSimpleName());
        LongTaskTimer.builder(ACQUIRE + ".active")
                .description("Calls that acquire or wait now")
                .tag(LOCK, lock)
                .register(meters);
        holdTimes.put(lock, new HoldTimes(hold(meters, lock, "released"), hold(meters, lock, "lost")));
    }

    private static void acquire(MeterRegistry meters, String lock, Outcome outcome, String error) {
        Timer.builder(ACQUIRE)
                .description("Calls that acquire, and how long they took with their waits")
                .tag(LOCK, lock)
                .tag(OUTCOME, text(outcome))
                .tag("error", error)
                .register(meters);
    }

    private static Timer hold(MeterRegistry meters, String lock, String end) {
        return Timer.builder(HOLD)
                .description("Leases that have ended, and how long they were held")
                .tag(LOCK, lock)
                .tag("end", end)
                .register(meters);
    }

    private static String text(Outcome outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    /** The value of the tag. */
    private String lock(String name) {
        if (holdTimes.containsKey(name)) {
            return name;
        }
        int colon = name.indexOf(':');
        String kind = colon < 0 ? name : name.substring(0, colon);
        return holdTimes.containsKey(kind) ? kind : OTHER;
    }

    @Override
    public Consumer<AcquireEnd> acquiring(String name) {
        String lock = lock(name);
        Observation observation = Observation.createNotStarted(ACQUIRE, observations)
                .contextualName("acquire " + lock)
                .lowCardinalityKeyValue(LOCK, lock)
                .highCardinalityKeyValue("dibs.name", name)
                .start();
        Observation.Scope scope = observation.openScope();
        return end -> {
            try (scope) {
                observation.lowCardinalityKeyValue(OUTCOME, text(end.outcome()));
                end.holder().ifPresent(holder -> observation.highCardinalityKeyValue("dibs.holder", holder.holder()));
                end.failure().ifPresent(observation::error);
            }
            observation.stop();
        };
    }

    @Override
    public void released(Lease lease, Duration held) {
        times(lease).released().record(held);
    }

    @Override
    public void lost(Lease lease, LeaseLostException reason, Duration held) {
        times(lease).lost().record(held);
    }

    private HoldTimes times(Lease lease) {
        return holdTimes.get(lock(lease.name()));
    }
}
