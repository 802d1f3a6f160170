package dev.dibs.examples;

import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.owasp.encoder.Encode;

/** The page behind a reset link: a GET looks at the token, a POST uses it up and changes the password. */
final class ResetServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final int SHORTEST = 12;
    private static final int LONGEST = 200;
    private static final System.Logger LOG = System.getLogger("app.password");

    private final transient DataSource dataSource;
    private final transient OneTimeTokens resets;
    private final transient UnaryOperator<String> slowHash;

    /** The hash is the one of the login, such as Argon2 or bcrypt. */
    ResetServlet(DataSource dataSource, OneTimeTokens resets, UnaryOperator<String> slowHash) {
        this.dataSource = dataSource;
        this.resets = resets;
        this.slowHash = slowHash;
    }

    /** A GET must not consume the token: mail scanners and previews follow links, too. */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String token = request.getParameter("token");
        if (resets.peek(token).isOk()) {
            form(response, token, "");
        } else {
            refuse(response);
        }
    }

    /** Hashes before the transaction, which stays short, and only for a valid token, because a hash takes long. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        request.setCharacterEncoding("UTF-8");
        String token = request.getParameter("token");
        String password = Optional.ofNullable(request.getParameter("password")).orElse("");
        if (!resets.peek(token).isOk()) {
            refuse(response);
        } else if (password.length() < SHORTEST || password.length() > LONGEST) {
            form(response, token, "It must have " + SHORTEST + " to " + LONGEST + " characters.");
        } else {
            change(response, token, slowHash.apply(password));
        }
    }

    private void change(HttpServletResponse response, String token, String hash) throws IOException {
        try {
            Optional<String> account = setPassword(token, hash);
            if (account.isEmpty()) {
                refuse(response);
                return;
            }
            resets.revokeAll(account.get()); // the links of other mails; the place to end its sessions, too
            Page.send(response, 200, "<p>Your password is changed. Please sign in.</p>");
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "A password was perhaps not changed", e); // without the token
            Page.send(
                    response,
                    500,
                    "<p>That did not work. Try to sign in with the new password, or the link again.</p>");
        }
    }

    /** The token is used up if and only if the password is changed. Returns the account. */
    private Optional<String> setPassword(String token, String hash) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                TokenResult used = resets.consume(connection, token);
                if (used.isOk()) {
                    Accounts.setPassword(connection, used.subject().orElseThrow(), hash);
                }
                connection.commit();
                done = true;
                return used.isOk() ? used.subject() : Optional.empty();
            } finally {
                if (!done) {
                    connection.rollback();
                }
            }
        }
    }

    private static void form(HttpServletResponse response, @Nullable String token, String hint) throws IOException {
        Page.send(response, 200, """
                <p>%s</p>
                <form method="post" action="reset">
                <input type="hidden" name="token" value="%s">
                <label>New password <input name="password" type="password" autocomplete="new-password"></label>
                <button>Change it</button>
                </form>""".formatted(Encode.forHtml(hint), Encode.forHtmlAttribute(token)));
    }

    /** Used, expired, revoked or never issued: the visitor needs another link in any case. */
    private static void refuse(HttpServletResponse response) throws IOException {
        Page.send(response, 410, "<p>This link is no longer good. <a href=\"forgotten\">Send me another one.</a></p>");
    }
}
