package dev.dibs.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/** A part of the path as the container has decoded it, so that {@code /7} and {@code /%37} are the same. */
record PathPart(int number) implements LockKey {

    PathPart {
        if (number < 1) {
            throw new IllegalArgumentException("there is no part " + number + " of a path; the first is 1");
        }
    }

    @Override
    public @Nullable String of(HttpServletRequest request) {
        String rest = request.getPathInfo();
        StringTokenizer parts =
                new StringTokenizer(rest == null ? request.getServletPath() : request.getServletPath() + rest, "/");
        for (int i = 1; i < number && parts.hasMoreTokens(); i++) {
            parts.nextToken();
        }
        return parts.hasMoreTokens() ? parts.nextToken() : null;
    }
}
