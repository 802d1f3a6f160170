package dev.dibs.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

/** Says for whom, or for what, a request is: of those with the same key a {@link LockFilter} serves one at a time. */
@FunctionalInterface
public interface LockKey {

    /**
     * The request's key. What this throws goes to the container, and the request is not served.
     *
     * @return any text; null or empty if the request has none
     */
    @SuppressWarnings("exports")
    @Nullable
    String of(HttpServletRequest request);

    /** The id of its session, if it has one. It is a secret: the lock's name has its digest. */
    static LockKey session() {
        return new SecretKey(request -> {
            HttpSession session = request.getSession(false);
            return session == null ? null : session.getId();
        });
    }

    /** What its session, if it has one, has as an attribute, by its {@code toString()}. */
    static LockKey sessionAttribute(String name) {
        return request -> {
            HttpSession session = request.getSession(false);
            Object value = session == null ? null : session.getAttribute(name);
            return value == null ? null : value.toString();
        };
    }

    /** The name of the user whom the container has let in. */
    static LockKey user() {
        return HttpServletRequest::getRemoteUser;
    }

    /** A header, the first if there are several. Of one that carries secrets, as {@code Authorization}, the lock's name has the digest. */
    static LockKey header(String name) {
        LockKey key = request -> request.getHeader(name);
        return SecretKey.isSecretHeader(name) ? new SecretKey(key) : key;
    }

    /**
     * A part of the path inside of the application, decoded: in {@code /shop/sync/4711} of the application {@code /shop} the first is
     * {@code sync}, and the second {@code 4711}.
     *
     * @param number which one, from 1
     * @throws IllegalArgumentException if it is less
     */
    static LockKey pathPart(int number) {
        return new PathPart(number);
    }
}
