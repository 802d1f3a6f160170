package dev.dibs.servlet;

import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link LockFilter}; each has a default.
 *
 * <p>For one thread.
 */
public final class LockFilterBuilder {

    private static final int LONGEST_KIND = Names.LIMIT - KeyText.LONGEST - 1;
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);
    private static final Duration LONGEST_RETRY = Duration.ofDays(1);
    private static final Pattern METHOD = Pattern.compile("[A-Z]+");
    private static final Set<Integer> BUSY = Set.of(409, 423, 429, 503);

    private final LockKey key;
    private @Nullable String kind;
    private boolean digestsKeys;
    private boolean passesWithoutKey;
    private Set<String> methods = Set.of();
    private Duration wait = Duration.ZERO;
    private int busyStatus = 409;
    private Duration retryAfter = Duration.ofSeconds(1);

    LockFilterBuilder(LockKey key) {
        this.key = key;
    }

    static String checkKind(String kind) {
        if (kind.isEmpty() || kind.length() > LONGEST_KIND || kind.indexOf(':') >= 0) {
            throw new IllegalArgumentException("'" + kind + "' cannot be the kind of a lock: 1 to " + LONGEST_KIND
                    + " characters, without a colon");
        }
        return Names.check("kind", kind);
    }

    /**
     * The kind of the lock, as in {@link dev.dibs.Dibs#lock(String, Object)}. Filters and applications with the same kind
     * and the same tables share the locks. Default: the filter's name.
     *
     * @throws IllegalArgumentException if the kind is empty, has a colon, or has more than 99 characters
     */
    public LockFilterBuilder kind(String kind) {
        this.kind = checkKind(kind);
        return this;
    }

    /** Puts the key's digest (SHA-256) into the lock's name instead of the key. Use it for secret keys. */
    public LockFilterBuilder digestKeys() {
        this.digestsKeys = true;
        return this;
    }

    /** Serves requests without a key, without a lock. Default: they get 400. */
    public LockFilterBuilder passWithoutKey() {
        this.passesWithoutKey = true;
        return this;
    }

    /**
     * Locks only requests of these methods, such as {@code POST}; the others are served without a lock. Default: all methods.
     *
     * @throws IllegalArgumentException if there is no method, or one is not in capital letters
     */
    public LockFilterBuilder methods(String... methods) {
        Set<String> wanted = new LinkedHashSet<>(List.of(methods));
        if (wanted.isEmpty()
                || !wanted.stream().allMatch(method -> METHOD.matcher(method).matches())) {
            throw new IllegalArgumentException(
                    wanted + " are not HTTP methods; write them in capital letters, as POST");
        }
        this.methods = wanted;
        return this;
    }

    /**
     * How long a request waits for the one before it. Each waiting request occupies a thread of the container. Default: no wait.
     *
     * @throws IllegalArgumentException if the wait is negative or longer than ten minutes
     */
    public LockFilterBuilder waitUpTo(Duration wait) {
        this.wait = Arguments.within("wait", wait, Duration.ZERO, LONGEST_WAIT);
        return this;
    }

    /**
     * The status for a request that is refused because another one with its key is served. Default 409.
     *
     * @param status 409, 423, 429 or 503
     * @throws IllegalArgumentException if it is another status
     */
    public LockFilterBuilder busyStatus(int status) {
        if (!BUSY.contains(status)) {
            throw new IllegalArgumentException(
                    "the status " + status + " does not mean busy; use 409, 423, 429 or 503");
        }
        this.busyStatus = status;
        return this;
    }

    /**
     * The value of {@code Retry-After} for a refused client. Default one second.
     *
     * @param pause in whole seconds, from one second to one day
     * @throws IllegalArgumentException if it is outside these bounds
     */
    public LockFilterBuilder retryAfter(Duration pause) {
        this.retryAfter = Arguments.within("pause", pause, Duration.ofSeconds(1), LONGEST_RETRY);
        return this;
    }

    /** Creates the filter; register it by {@code ServletContext.addFilter}. */
    public LockFilter build() {
        return new LockFilter(settings());
    }

    LockFilterSettings settings() {
        return new LockFilterSettings(
                kind, key, digestsKeys, passesWithoutKey, Set.copyOf(methods), wait, busyStatus, retryAfter);
    }
}
