package dev.dibs.server;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.Optional;

/** Uses a link up. GET does not use it up, so that programs which open links in advance do no harm. */
final class Login extends HttpServlet {

    private static final long serialVersionUID = 1;

    static final String PAGE = "login";

    private static final String TOKEN = "token";

    private final transient LoginLinks links;
    private final String user;

    /**
     * For one console.
     *
     * @param user as whom its visitors act
     */
    Login(LoginLinks links, String user) {
        this.links = links;
        this.user = user;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String token = request.getParameter(TOKEN);
        if (links.isGood(token)) {
            new LoginPage("The Dibs console", "This link lets you in, once.", Optional.of(token))
                    .send(response, HttpServletResponse.SC_OK);
        } else {
            refuse(response);
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!links.use(request.getParameter(TOKEN))) {
            refuse(response);
            return;
        }
        HttpSession before = request.getSession(false);
        if (before != null) {
            before.invalidate();
        }
        request.getSession(true).setAttribute(LocalAccess.USER, user);
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
}
