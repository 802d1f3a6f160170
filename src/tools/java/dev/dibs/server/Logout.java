package dev.dibs.server;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;

/** Ends the session when its button is pressed; the link that began it is used up. */
final class Logout extends HttpServlet {

    private static final long serialVersionUID = 1;

    static final String PAGE = "logout";

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        HttpSession session = request.getSession(false);
        if (session != null) {
            session.invalidate();
        }
        LoginPage.of(
                        "Signed out",
                        "Your session has ended. Press Enter in the terminal where the console was started for another"
                                + " link.")
                .send(response, HttpServletResponse.SC_OK);
    }
}
