package bookshop;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.owasp.encoder.Encode;

/** Lists the mails that were sent, and their senders. For the example only: a real shop keeps addresses private. */
public final class MailsServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final String QUERY =
            "SELECT mail_id, recipient, body, sender FROM outbox ORDER BY mail_id DESC FETCH FIRST 100 ROWS ONLY";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try (Connection connection = Shop.of(getServletContext()).dataSource().getConnection();
                PreparedStatement select = connection.prepareStatement(QUERY);
                ResultSet row = select.executeQuery()) {
            StringBuilder list = new StringBuilder("<ul>\n");
            while (row.next()) {
                list.append("<li>")
                        .append(row.getLong(1))
                        .append(Encode.forHtml(" to " + row.getString(2) + ": " + row.getString(3)))
                        .append(Encode.forHtml(" (sent by " + row.getString(4) + ")\n"));
            }
            Page.send(response, 200, "Mails", list.append("</ul>").toString());
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }
}
