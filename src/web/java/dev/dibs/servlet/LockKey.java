package dev.dibs.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

/** Finds the key of a request. A {@link LockFilter} serves one request at a time with the same key. */
@FunctionalInterface
public interface LockKey {

    /**
     * The request's key. An exception goes to the container, and the request is not served.
     *
     * @return any text; null or empty if the request has none
     */
    @SuppressWarnings("exports")
    @Nullable
    String of(HttpServletRequest request);

    /** The id of the session, if there is one. It is a secret, so the lock's name has its digest. */
    static LockKey session() {
        return new NamedKey("session", true, request -> {
            HttpSession session = request.getSession(false);
            return session == null ? null : session.getId();
        });
    }

    /** An attribute of the session, if there is one, by its {@code toString()}. */
    static LockKey sessionAttribute(String name) {
        return new NamedKey("attribute " + name + " in its session", false, request -> {
            HttpSession session = request.getSession(false);
            Object value = session == null ? null : session.getAttribute(name);
            return value == null ? null : value.toString();
        });
    }

    /** The name of the user that the container has authenticated. */
    static LockKey user() {
        return new NamedKey("authenticated user", false, HttpServletRequest::getRemoteUser);
    }

    /**
     * A header, the first if there are several. For a header with secrets, such as {@code Authorization}, the lock's name has the
     * digest.
     */
    static LockKey header(String name) {
        return new NamedKey("header " + name, NamedKey.isSecretHeader(name), request -> request.getHeader(name));
    }

    /**
     * A decoded part of the path within the application. In {@code /shop/sync/4711} of the application {@code /shop} the first part
     * is {@code sync}, and the second is {@code 4711}.
     *
     * @param number the number of the part, from 1
     * @throws IllegalArgumentException if the number is less than 1
     */
    static LockKey pathPart(int number) {
        return new NamedKey("part " + number + " in its path", false, new PathPart(number));
    }
}
