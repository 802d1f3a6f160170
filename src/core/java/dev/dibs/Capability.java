package dev.dibs;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The parts of Dibs that have tables of their own. An application needs only the tables of the capabilities that it uses. */
public enum Capability {
    /** Locks, leadership and several locks at once: {@link Dibs#lock}, {@link Dibs#lockAll}, {@link Dibs#leadership}. */
    LOCKS,
    /** Work that is done once a period: {@link Dibs#once}. */
    ONCE,
    /** {@link Dibs#semaphore}. */
    SEMAPHORES,
    /** {@link Dibs#readWriteLock}. */
    READ_WRITE_LOCKS,
    /** Locks that are {@link NamedLock#fair fair}. */
    FAIR_LOCKS,
    /** Claims with {@code sideTable()} or {@code ranges()}; other {@link Dibs#claims claims} need no table of Dibs. */
    CLAIMS,
    /** {@link Dibs#run}. */
    RUNS,
    /** One-time tokens and short codes: {@link Dibs#tokens}. */
    TOKENS;

    /**
     * The capability with this name, as the command writes it.
     *
     * @throws IllegalArgumentException if there is none; the message lists them
     */
    public static Capability named(String name) {
        return Stream.of(values())
                .filter(capability -> capability.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + name + "' is none of "
                        + Stream.of(values()).map(Capability::toString).collect(Collectors.joining(", "))));
    }

    /** The name as the command writes it: {@code read-write-locks}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
