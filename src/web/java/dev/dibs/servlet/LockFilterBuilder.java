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
            throw new IllegalArgumentException("'" + kind + "' cannot be the kind of what is locked: 1 to "
                    + LONGEST_KIND + " characters, without a colon");
        }
        return Names.check("kind", kind);
    }

    /**
     * What sort of thing is locked, as in {@link dev.dibs.Dibs#lock(String, Object)}. All on the same tables that use the same kind,
     * be it another filter or another application, share the locks. Default: the filter's name.
     *
     * @throws IllegalArgumentException if it is empty, has a colon, or more than 99 characters
     */
    public LockFilterBuilder kind(String kind) {
        this.kind = checkKind(kind);
        return this;
    }

    /** Has the lock's name have the key's digest (SHA-256) instead of the key, for keys that nobody may read. */
    public LockFilterBuilder digestKeys() {
        this.digestsKeys = true;
        return this;
    }

    /** Serves requests that have no key, without a lock. Default: they get 400. */
    public LockFilterBuilder passWithoutKey() {
        this.passesWithoutKey = true;
        return this;
    }

    /**
     * Locks requests of these methods alone, such as {@code POST}; the others are served without a lock. Default: all.
     *
     * @throws IllegalArgumentException if there is none, or one is not in capital letters, as methods are
     */
    public LockFilterBuilder methods(String... methods) {
        Set<String> wanted = new LinkedHashSet<>(List.of(methods));
        if (wanted.isEmpty()
                || !wanted.stream().allMatch(method -> METHOD.matcher(method).matches())) {
            throw new IllegalArgumentException(wanted + " are no methods of HTTP; POST is one, in capital letters");
        }
        this.methods = wanted;
        return this;
    }

    /**
     * How long a request waits for the one before it. Each that waits keeps a thread of the container. Default: not at all.
     *
     * @throws IllegalArgumentException if it is negative or more than ten minutes
     */
    public LockFilterBuilder waitUpTo(Duration wait) {
        this.wait = Arguments.within("wait", wait, Duration.ZERO, LONGEST_WAIT);
        return this;
    }

    /**
     * What a request gets that is not served since another one is. Default 409.
     *
     * @param status 409, 423, 429 or 503
     * @throws IllegalArgumentException if it is another one
     */
    public LockFilterBuilder busyStatus(int status) {
        if (!BUSY.contains(status)) {
            throw new IllegalArgumentException("the status " + status + " does not say busy; 409, 423, 429 and 503 do");
        }
        this.busyStatus = status;
        return this;
    }

    /**
     * When a client that was refused may try again, for its header {@code Retry-After}. Default one second.
     *
     * @param pause in whole seconds, from one second to one day
     * @throws IllegalArgumentException if it is out of these bounds
     */
    public LockFilterBuilder retryAfter(Duration pause) {
        this.retryAfter = Arguments.within("pause", pause, Duration.ofSeconds(1), LONGEST_RETRY);
        return this;
    }

    /** The filter, to be registered by {@code ServletContext.addFilter}. */
    public LockFilter build() {
        return new LockFilter(settings());
    }

    LockFilterSettings settings() {
        return new LockFilterSettings(
                kind, key, digestsKeys, passesWithoutKey, Set.copyOf(methods), wait, busyStatus, retryAfter);
    }
}
