package dev.dibs.console;

import jakarta.servlet.http.HttpServletRequest;

/** Says who may use the console. By default the container does: {@code HttpServletRequest::isUserInRole}. */
@FunctionalInterface
public interface ConsoleAccess {

    /** Who has it may see everything that the console shows. */
    String VIEWER = "dibs-viewer";

    /** Who has it may do what the console offers, and see everything, too. */
    String ADMIN = "dibs-admin";

    /**
     * Whether the one who asks has a role.
     *
     * @param request what is asked
     * @param role {@link #VIEWER} or {@link #ADMIN}
     */
    @SuppressWarnings("exports")
    boolean isInRole(HttpServletRequest request, String role);
}
