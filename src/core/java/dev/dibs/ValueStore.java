package dev.dibs;

import java.util.Optional;

/**
 * Where the values of {@link Once#getOrRefresh} are that all processes share: a table, a file system, a cache. Called by many threads at
 * once. What it throws passes through to the caller.
 */
public interface ValueStore<T> {

    /** The value that was put last, however old; empty if there is none. */
    Optional<T> get(String name);

    /** Replaces the value. When this returns, every process must see it. */
    void put(String name, T value);
}
