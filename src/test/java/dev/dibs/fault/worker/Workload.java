package dev.dibs.fault.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What all workers agree on. Few names, so that they meet. */
public final class Workload {
    /** Of every lease. */
    public static final Duration LEASE = Duration.ofSeconds(2);

    /** Of everything that is done once a period. */
    public static final Duration PERIOD = Duration.ofMillis(700);

    public static final List<String> LOCKS = List.of("lock-1", "lock-2", "lock-3", "lock-4");
    public static final List<String> READ_WRITE_LOCKS = List.of("prices-1", "prices-2");
    public static final List<String> ONCES = List.of("report-1", "report-2");
    /** Each with the number of its permits. */
    public static final Map<String, Long> SEMAPHORES = Map.of("slots-2", 2L, "slots-3", 3L);

    static final String TOKENS = "fault";
    /** A new token comes as often. */
    static final Duration TOKEN_EVERY = Duration.ofMillis(100);

    static final byte[] PEPPER = "a pepper of some length".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private Workload() {}
}
