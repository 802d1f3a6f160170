package dev.dibs.console;

import jakarta.servlet.http.HttpServletRequest;

/** Decides who may use the console. By default the container decides: {@code HttpServletRequest::isUserInRole}. */
@FunctionalInterface
public interface ConsoleAccess {

    /** The role of users that may see everything in the console. */
    String VIEWER = "dibs-viewer";

    /** The role of users that may also use all buttons of the console. */
    String ADMIN = "dibs-admin";

    /**
     * Whether the user of a request has a role.
     *
     * @param request the request
     * @param role {@link #VIEWER} or {@link #ADMIN}
     */
    @SuppressWarnings("exports")
    boolean isInRole(HttpServletRequest request, String role);
}
