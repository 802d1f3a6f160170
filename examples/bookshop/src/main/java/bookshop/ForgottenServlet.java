package bookshop;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Sends a reset link. */
public final class ForgottenServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final Duration TTL = Duration.ofMinutes(30);
    private static final System.Logger LOG = System.getLogger("bookshop");

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Page.send(response, 200, "A new password", """
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
        Shop shop = Shop.of(getServletContext());
        shop.background().execute(() -> sendLink(shop, mail));
        Page.send(
                response,
                200,
                "A new password",
                "<p>If there is an account with this address, a link is on its way to it.</p>");
    }

    private static void sendLink(Shop shop, String mail) {
        try (Connection connection = shop.dataSource().getConnection()) {
            Optional<String> account = Accounts.idOf(connection, mail);
            if (account.isPresent()) {
                String token = shop.resets().issue(account.get(), TTL);
                // FOR THE EXAMPLE ONLY: a real shop sends it by mail, and has no token in any log.
                LOG.log(Level.INFO, "Mail to " + account.get() + ": " + ShopListener.site() + "/reset?token=" + token);
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "No link was sent", e);
        }
    }
}
