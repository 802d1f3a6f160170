package dev.dibs.server;

import dev.dibs.DibsException;
import dev.dibs.token.OneTimeTokens;
import dev.dibs.token.TokenResult;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.Optional;

/** Uses a link up. To look at it (GET) does not: whoever opens links in advance leaves it good. */
final class Login extends HttpServlet {

    private static final long serialVersionUID = 1;

    static final String PATH = "/login";

    private static final String TOKEN = "token";

    private final transient OneTimeTokens links;

    Login(OneTimeTokens links) {
        this.links = links;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String token = request.getParameter(TOKEN);
        try {
            if (links.peek(token).isOk()) {
                new LoginPage("The Dibs console", "This link lets you in, once.", Optional.ofNullable(token))
                        .send(response, HttpServletResponse.SC_OK);
            } else {
                refuse(response);
            }
        } catch (DibsException e) {
            noDatabase(response);
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        TokenResult result;
        try {
            result = links.consume(request.getParameter(TOKEN));
        } catch (DibsException e) {
            noDatabase(response);
            return;
        }
        if (!result.isOk()) {
            refuse(response);
            return;
        }
        HttpSession before = request.getSession(false);
        if (before != null) {
            before.invalidate();
        }
        request.getSession(true).setAttribute(LocalDoor.USER, result.subject().orElseThrow());
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
        LoginPage.of("Not signed in", "The database can not be asked just now. Try again.")
                .send(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE);
    }
}
