package dev.dibs.server;

import dev.dibs.console.ConsoleAccess;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;

/** Admits visitors that have opened a link, and the link itself. */
final class LocalAccess extends HttpFilter {

    private static final long serialVersionUID = 1;

    /** The attribute of a session whose visitor has opened a link. */
    static final String USER = "dev.dibs.server.user";

    private final String login;
    private final boolean mayChange;

    /**
     * For one console.
     *
     * @param login the path of the links
     */
    LocalAccess(String login, boolean mayChange) {
        this.login = login;
        this.mayChange = mayChange;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpSession session = request.getSession(false);
        if (session != null && session.getAttribute(USER) instanceof String user) {
            chain.doFilter(new SignedIn(request, user, mayChange), response);
        } else if (login.equals(request.getServletPath())) {
            chain.doFilter(request, response);
        } else {
            LoginPage.notSignedIn().send(response, HttpServletResponse.SC_FORBIDDEN);
        }
    }

    /** A request of a visitor that has opened a link. */
    private static final class SignedIn extends HttpServletRequestWrapper {

        private final String user;
        private final boolean mayChange;

        SignedIn(HttpServletRequest request, String user, boolean mayChange) {
            super(request);
            this.user = user;
            this.mayChange = mayChange;
        }

        @Override
        public String getRemoteUser() {
            return user;
        }

        @Override
        public boolean isUserInRole(String role) {
            return mayChange || role.equals(ConsoleAccess.VIEWER);
        }
    }
}
