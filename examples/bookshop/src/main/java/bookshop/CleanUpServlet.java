package bookshop;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.OptionalInt;

/** The nightly clean-up by day, so that you can watch it. For the role dibs-admin. */
public final class CleanUpServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try {
            OptionalInt gone = new CleanUp(Shop.of(getServletContext())).now();
            if (gone.isPresent()) {
                Page.send(response, 200, "Cleaned up", "<p>" + gone.getAsInt() + " books are gone.</p>");
            } else {
                response.setHeader("Retry-After", "5");
                Page.send(response, 409, "Not cleaned up", "<p>Somebody is looking at the catalogue.</p>");
            }
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }
}
