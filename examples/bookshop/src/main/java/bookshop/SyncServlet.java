package bookshop;

import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.servlet.LockFilter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.owasp.encoder.Encode;

/** Exchanges data with a customer's device. The filter in the web.xml lets in one request of a customer at a time. */
public final class SyncServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    /** Its writes are committed only while it holds the lock. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        String customer = request.getPathInfo().substring(1);
        Shop shop = Shop.of(getServletContext());
        Lease lease = LockFilter.leaseOf(request).orElseThrow();
        shop.slow().take("sync");
        try {
            lease.inTransaction(shop.dataSource(), connection -> count(connection, customer));
            Page.send(response, 200, "Synced", "<p>Customer " + Encode.forHtml(customer) + "</p>");
        } catch (LeaseLostException e) {
            response.setHeader("Retry-After", "1");
            Page.send(response, 409, "Not synced", "<p>It took too long. Please try again.</p>");
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }

    private static void count(Connection connection, String customer) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE customer SET syncs = syncs + 1 WHERE id = ?")) {
            update.setString(1, customer);
            update.execute();
        }
    }
}
