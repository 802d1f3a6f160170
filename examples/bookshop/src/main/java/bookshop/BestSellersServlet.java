package bookshop;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.owasp.encoder.Encode;

/** Shows the list of {@link BestSellers}. */
public final class BestSellersServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final System.Logger LOG = System.getLogger("bookshop");
    private static final String QUERY = """
            SELECT b.title, count(*) FROM book b JOIN book_order o ON o.book_id = b.id
            GROUP BY b.id, b.title ORDER BY 2 DESC, b.title FETCH FIRST 10 ROWS ONLY""";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String list = list(Shop.of(getServletContext()));
        Page.send(response, 200, "Best-sellers", "<pre>" + Encode.forHtml(list) + "</pre>");
    }

    private static String list(Shop shop) {
        try {
            return shop.bestSellers().list();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "The first list was not made", e);
            return "There is no list yet.";
        }
    }

    /** The slow query. */
    static String query(DataSource dataSource, Slow slow) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select = connection.prepareStatement(QUERY);
                ResultSet row = select.executeQuery()) {
            StringBuilder list = new StringBuilder();
            while (row.next()) {
                list.append(row.getLong(2))
                        .append(" of ")
                        .append(row.getString(1))
                        .append('\n');
            }
            slow.take("best-sellers");
            return list.isEmpty() ? "Nothing was sold yet." : list.toString();
        }
    }
}
