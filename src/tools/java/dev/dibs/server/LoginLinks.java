package dev.dibs.server;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The secrets in the links of one console; each admits one visitor. They are only in the memory of this process, so the console can show a
 * database that its user may not change, or that has no table for tokens.
 *
 * <p>Safe for use by several threads.
 */
final class LoginLinks {

    private static final int BYTES = 32;

    private final SecureRandom random = new SecureRandom();
    private final Map<String, Long> ends = new ConcurrentHashMap<>();
    private final Duration lifetime;
    private final LongSupplier nanos;

    /**
     * Without a link at first.
     *
     * @param nanos a monotonic clock
     */
    LoginLinks(Duration lifetime, LongSupplier nanos) {
        this.lifetime = lifetime;
        this.nanos = nanos;
    }

    /** Returns a new secret. */
    String next() {
        ends.values().removeIf(this::isOver);
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        ends.put(secret, nanos.getAsLong() + lifetime.toNanos());
        return secret;
    }

    private boolean isOver(long end) {
        return end - nanos.getAsLong() <= 0;
    }

    /** Whether a visitor could use it now. */
    boolean isGood(@Nullable String secret) {
        Long end = secret == null ? null : ends.get(secret);
        return end != null && !isOver(end);
    }

    /** Returns true for the first visitor that uses it in time. */
    boolean use(@Nullable String secret) {
        Long end = secret == null ? null : ends.remove(secret);
        return end != null && !isOver(end);
    }
}
