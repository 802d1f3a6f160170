package bookshop;

import dev.dibs.Once;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.owasp.encoder.Encode;

/** Whoever comes first after the list is out of date makes the new one. All others see the old one meanwhile. */
public final class BestSellersServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final System.Logger LOG = System.getLogger("bookshop");
    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final String QUERY = """
            SELECT b.title, count(*) FROM book b JOIN book_order o ON o.book_id = b.id
            GROUP BY b.id, b.title ORDER BY 2 DESC, b.title FETCH FIRST 10 ROWS ONLY""";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Shop shop = Shop.of(getServletContext());
        Once once = shop.dibs().once("best-sellers").every(PERIOD);
        String list = list(shop, once);
        Page.send(response, 200, "Best-sellers", "<pre>" + Encode.forHtml(list) + "</pre>");
    }

    /** Even who tried in vain to make the new one sees the old one. */
    private static String list(Shop shop, Once once) {
        Lists lists = new Lists(shop.dataSource());
        try {
            return once.getOrRefresh(lists, () -> query(shop));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "The list was not made anew", e);
            return lists.get(once.name()).orElse("There is no list yet.");
        }
    }

    private static String query(Shop shop) throws SQLException {
        try (Connection connection = shop.dataSource().getConnection();
                PreparedStatement select = connection.prepareStatement(QUERY);
                ResultSet row = select.executeQuery()) {
            StringBuilder list = new StringBuilder();
            while (row.next()) {
                list.append(row.getLong(2))
                        .append(" of ")
                        .append(row.getString(1))
                        .append('\n');
            }
            shop.slow().take("best-sellers");
            return list.isEmpty() ? "Nothing was sold yet." : list.toString();
        }
    }
}
