package dev.dibs.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A key of a known place in the request.
 *
 * @param name the part of the request that has the key, for people
 * @param isSecret whether it must not be readable in the table of locks
 */
record NamedKey(String name, boolean isSecret, LockKey key) implements LockKey {

    private static final Set<String> SECRET_HEADERS = Set.of("authorization", "proxy-authorization", "cookie");

    static boolean isSecretHeader(String name) {
        return SECRET_HEADERS.contains(name.toLowerCase(Locale.ROOT));
    }

    @Override
    public @Nullable String of(HttpServletRequest request) {
        return key.of(request);
    }
}
