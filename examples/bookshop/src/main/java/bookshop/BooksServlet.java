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

/** The catalogue. Its export takes long, and the clean-up waits for it. */
public final class BooksServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final String FORM = """
            <li>%s
            <form method="post" action="../order"><input type="hidden" name="book" value="%d">
            <label>Your address <input name="mail" type="email" required maxlength="200" value="ann@example.org"></label>
            <button>Order</button></form>
            """;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        Shop shop = Shop.of(getServletContext());
        boolean export = "/export".equals(request.getPathInfo());
        if (export) {
            shop.slow().take("export");
        }
        try (Connection connection = shop.dataSource().getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT id, title FROM book ORDER BY id");
                ResultSet row = select.executeQuery()) {
            StringBuilder list = new StringBuilder("<ul>\n");
            while (row.next()) {
                String title = Encode.forHtml(row.getString(2));
                list.append(export ? "<li>" + title + "\n" : FORM.formatted(title, row.getLong(1)));
            }
            Page.send(response, 200, "Books", list.append("</ul>").toString());
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }
}
