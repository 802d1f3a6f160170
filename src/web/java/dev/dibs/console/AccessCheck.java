package dev.dibs.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.io.UnsupportedEncodingException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks whether a visitor has access, and whether a button of this console sent a request. */
final class AccessCheck {

    /** The session keeps only texts, because they keep no class loader alive. */
    private static final String CSRF = "dev.dibs.console.csrf";

    private static final String MESSAGE = "dev.dibs.console.message";
    private static final int SECRET = 32;

    /** The fields of the forms. */
    private static final String[] FIELDS = {
        "csrf",
        "fence",
        "reason",
        "batch",
        "rate",
        "maxFailures",
        "maxFailurePercent",
        "shown-batch",
        "shown-rate",
        "shown-maxFailures",
        "shown-maxFailurePercent"
    };

    private final ConsoleAccess access;
    private final SecureRandom random = new SecureRandom();

    AccessCheck(ConsoleAccess access) {
        this.access = access;
    }

    boolean mayView(HttpServletRequest request) {
        return mayChange(request) || access.isInRole(request, ConsoleAccess.VIEWER);
    }

    private boolean mayChange(HttpServletRequest request) {
        return access.isInRole(request, ConsoleAccess.ADMIN);
    }

    /** The request and its visitor. Begins a session only for a visitor who may press buttons. */
    PageRequest pageRequest(HttpServletRequest request, String page) {
        Map<String, String> query = Requests.query(request);
        boolean post = request.getMethod().equals("POST");
        boolean json = !post && Requests.wantsJson(request, query);
        boolean fragment = query.containsKey("fragment");
        boolean admin = mayChange(request);
        HttpSession session = request.getSession(admin && !post && !json && !fragment);
        return new PageRequest(
                page,
                query,
                post ? form(request) : Map.of(),
                new PageRequest.Who(user(request), String.valueOf(request.getRemoteAddr()), admin),
                json,
                fragment,
                session == null || !admin ? "" : secret(session, post),
                session == null || post || json || fragment ? Optional.empty() : message(session),
                Optional.empty());
    }

    private static String user(HttpServletRequest request) {
        String user = request.getRemoteUser();
        return user == null ? "" : user;
    }

    private static Map<String, String> form(HttpServletRequest request) {
        try {
            request.setCharacterEncoding("UTF-8");
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException(e);
        }
        Map<String, String> form = new LinkedHashMap<>();
        for (String field : FIELDS) {
            String value = request.getParameter(field);
            if (value != null) {
                form.put(field, value);
            }
        }
        return form;
    }

    /** Two first pages at the same time may each create a secret. Then the buttons of one page are refused, and a reload helps. */
    private String secret(HttpSession session, boolean known) {
        if (session.getAttribute(CSRF) instanceof String secret) {
            return secret;
        }
        if (known) {
            return "";
        }
        byte[] bytes = new byte[SECRET];
        random.nextBytes(bytes);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        session.setAttribute(CSRF, secret);
        return secret;
    }

    /** Returns the message once. */
    private static Optional<Message> message(HttpSession session) {
        if (session.getAttribute(MESSAGE) instanceof String kept && !kept.isEmpty()) {
            session.removeAttribute(MESSAGE);
            return Optional.of(Message.of(kept));
        }
        return Optional.empty();
    }

    void keep(HttpServletRequest request, Message message) {
        HttpSession session = request.getSession(false);
        if (session != null) {
            session.setAttribute(MESSAGE, message.kept());
        }
    }

    /** The request has the session's secret, and the browser does not report another origin. */
    boolean isOurs(HttpServletRequest request, PageRequest pageRequest) {
        byte[] secret = pageRequest.csrf().getBytes(StandardCharsets.UTF_8);
        byte[] sent = pageRequest.form().getOrDefault("csrf", "").getBytes(StandardCharsets.UTF_8);
        return secret.length > 0 && MessageDigest.isEqual(secret, sent) && isSameOrigin(request);
    }

    private static boolean isSameOrigin(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null) {
            return site.equals("same-origin");
        }
        String origin = request.getHeader("Origin");
        return origin == null || sameHost(origin, request.getHeader("Host"));
    }

    /** Compares without the scheme, because a proxy may have changed it. */
    private static boolean sameHost(String origin, @Nullable String host) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return host != null && host.equalsIgnoreCase(authority);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
