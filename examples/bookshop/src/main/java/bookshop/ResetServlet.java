package bookshop;

import dev.dibs.tokens.TokenResult;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.owasp.encoder.Encode;

/** The page behind a reset link: a GET looks at the token, a POST uses it up and changes the password. */
public final class ResetServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final int SHORTEST = 12;
    private static final int LONGEST = 200;
    private static final String TITLE = "A new password";
    private static final System.Logger LOG = System.getLogger("bookshop");

    /** A GET must not consume the token: mail scanners and previews follow links, too. */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String token = request.getParameter("token");
        if (shop().resets().peek(token).isOk()) {
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
        if (!shop().resets().peek(token).isOk()) {
            refuse(response);
        } else if (password.length() < SHORTEST || password.length() > LONGEST) {
            form(response, token, "It must have " + SHORTEST + " to " + LONGEST + " characters.");
        } else {
            change(response, token, Accounts.hash(password));
        }
    }

    private Shop shop() {
        return Shop.of(getServletContext());
    }

    private void change(HttpServletResponse response, String token, String hash) throws IOException {
        try {
            Optional<String> account = setPassword(token, hash);
            if (account.isEmpty()) {
                refuse(response);
                return;
            }
            shop().resets().revokeAll(account.get()); // the links of other mails
            Page.send(response, 200, TITLE, "<p>Your password is changed. Please sign in.</p>");
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "A password was perhaps not changed", e); // without the token
            Page.send(response, 500, TITLE, "<p>That did not work. Try the new password, or the link again.</p>");
        }
    }

    /** The token is used up if and only if the password is changed. Returns the account. */
    private Optional<String> setPassword(String token, String hash) throws SQLException {
        try (Connection connection = shop().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                TokenResult used = shop().resets().consume(connection, token);
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

    private static void form(HttpServletResponse response, String token, String hint) throws IOException {
        Page.send(response, 200, TITLE, """
                <p>%s</p>
                <form method="post" action="reset">
                <input type="hidden" name="token" value="%s">
                <label>New password <input name="password" type="password" autocomplete="new-password"></label>
                <button>Change it</button>
                </form>""".formatted(Encode.forHtml(hint), Encode.forHtmlAttribute(token)));
    }

    /** Used, expired, revoked or never issued: the visitor needs another link in any case. */
    private static void refuse(HttpServletResponse response) throws IOException {
        Page.send(
                response,
                410,
                TITLE,
                "<p>This link is no longer good. <a href=\"forgotten\">Send me another one.</a></p>");
    }
}
