package dev.dibs.server;

import dev.dibs.DatabaseFailureException;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.Optional;

/**
 * Uses a link up. GET does not use it up, so that programs which open links in advance do no harm. A link of another console of the same
 * database is invalid here.
 */
final class Login extends HttpServlet {

    private static final long serialVersionUID = 1;

    static final String PAGE = "login";

    private static final String TOKEN = "token";

    private final transient OneTimeTokens links;
    private final String console;

    /**
     * For one console.
     *
     * @param console the payload of its links
     */
    Login(OneTimeTokens links, String console) {
        this.links = links;
        this.console = console;
    }

    private boolean isGood(TokenResult result) {
        return result.isOk() && result.payload().filter(console::equals).isPresent();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String token = request.getParameter(TOKEN);
        try {
            if (isGood(links.peek(token))) {
                new LoginPage("The Dibs console", "This link lets you in, once.", Optional.ofNullable(token))
                        .send(response, HttpServletResponse.SC_OK);
            } else {
                refuse(response);
            }
        } catch (DatabaseFailureException e) {
            noDatabase(response);
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String token = request.getParameter(TOKEN);
        TokenResult result;
        try {
            result = links.peek(token);
            if (isGood(result)) {
                result = links.consume(token);
            }
        } catch (DatabaseFailureException e) {
            noDatabase(response);
            return;
        }
        if (!isGood(result)) {
            refuse(response);
            return;
        }
        HttpSession before = request.getSession(false);
        if (before != null) {
            before.invalidate();
        }
        request.getSession(true).setAttribute(LocalAccess.USER, result.subject().orElseThrow());
        response.setHeader("Location", "./");
        response.setHeader("Cache-Control", "no-store");
        response.setStatus(HttpServletResponse.SC_SEE_OTHER);
    }

    private static void refuse(HttpServletResponse response) throws IOException {
        LoginPage.of(
                        "Not signed in",
                        "This link was used, or its time is over. Press Enter in the terminal where the console was started for"
                                + " another one.")
                .send(response, HttpServletResponse.SC_FORBIDDEN);
    }

    private static void noDatabase(HttpServletResponse response) throws IOException {
        LoginPage.of("Not signed in", "The database is not available at the moment. Try again.")
                .send(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE);
    }
}
