package dev.dibs.servlet;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a filter.
 *
 * @param kind null for the filter's name
 * @param methods empty for all
 */
record LockFilterSettings(
        @Nullable String kind,
        LockKey key,
        boolean digestsKeys,
        boolean passesWithoutKey,
        Set<String> methods,
        Duration longestWait,
        int busyStatus,
        Duration retryAfter) {

    boolean isSecret() {
        return digestsKeys || (key instanceof NamedKey named && named.isSecret());
    }

    /** The name, for people, of the part that a request without a key lacks. */
    String keyName() {
        return key instanceof NamedKey named ? named.name() : "key";
    }

    boolean locks(String method) {
        return methods.isEmpty() || methods.contains(method);
    }
}
