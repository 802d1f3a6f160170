package dev.dibs.examples;

import dev.dibs.tokens.OneTimeTokens;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

/** Sends a reset link. */
final class ForgottenServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final Duration TTL = Duration.ofMinutes(30);
    private static final System.Logger LOG = System.getLogger("app.password");

    private final transient DataSource dataSource;
    private final transient OneTimeTokens resets;
    private final transient BiConsumer<String, String> mailer;
    private final transient ExecutorService background;
    private final String site;

    /** The site is as in https://example.org. It comes from the settings: a request can have any Host header. */
    ForgottenServlet(
            DataSource dataSource,
            OneTimeTokens resets,
            BiConsumer<String, String> mailer,
            ExecutorService background,
            String site) {
        this.dataSource = dataSource;
        this.resets = resets;
        this.mailer = mailer;
        this.background = background;
        this.site = site;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Page.send(response, 200, """
                <form method="post">
                <label>Your address <input name="mail" type="email" required maxlength="200"></label>
                <button>Send me a link</button>
                </form>""");
    }

    /** The same answer, after the same time, whether or not there is such an account. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        request.setCharacterEncoding("UTF-8");
        String mail = Optional.ofNullable(request.getParameter("mail")).orElse("");
        background.execute(() -> sendLink(mail));
        Page.send(response, 200, "<p>If there is an account with this address, a link is on its way to it.</p>");
    }

    private void sendLink(String mail) {
        try (Connection connection = dataSource.getConnection()) {
            Accounts.idOf(connection, mail)
                    .ifPresent(id -> mailer.accept(mail, site + "/reset?token=" + resets.issue(id, TTL)));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "No link was sent", e); // without the link
        }
    }
}
