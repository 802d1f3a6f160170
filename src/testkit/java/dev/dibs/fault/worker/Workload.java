package dev.dibs.fault.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The settings that all workers share. Few names, so that they meet. */
public final class Workload {
    /** The length of every lease. */
    public static final Duration LEASE = Duration.ofSeconds(2);

    /** The period of all work that is done once a period. */
    public static final Duration PERIOD = Duration.ofMillis(700);

    public static final List<String> LOCKS = List.of("lock-1", "lock-2", "lock-3", "lock-4");
    /** Their waiters queue. */
    public static final List<String> FAIR_LOCKS = List.of("line-1", "line-2");
    /** Each with its minimum hold, one of which is longer than a lease. */
    public static final Map<String, Duration> HELD_LOCKS =
            Map.of("brief-1", Duration.ofMillis(500), "brief-2", LEASE.plusMillis(500));

    /** Each tenant has locks of these names. */
    static final List<String> ROUTED_LOCKS = List.of("routed-1", "routed-2", "routed-3", "routed-4");

    public static final String LEADER = "leader";
    public static final List<String> READ_WRITE_LOCKS = List.of("prices-1", "prices-2");
    public static final List<String> ONCES = List.of("report-1", "report-2");
    /** Each with the number of its permits. */
    public static final Map<String, Long> SEMAPHORES = Map.of("slots-2", 2L, "slots-3", 3L);

    /** A pass over ranges of rows. */
    public static final String PASS = "fault-pass";

    public static final String RUN = "fault-run";

    static final String TOKENS = "fault";
    /** How often a new token comes. */
    static final Duration TOKEN_EVERY = Duration.ofMillis(100);

    static final byte[] PEPPER = "a pepper of some length".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private Workload() {}

    /** All locks, which may be broken or changed by hand. */
    public static List<String> allLocks() {
        return Stream.of(
                        LOCKS.stream(),
                        FAIR_LOCKS.stream(),
                        HELD_LOCKS.keySet().stream().sorted(),
                        Stream.of(LEADER))
                .flatMap(names -> names)
                .toList();
    }
}
