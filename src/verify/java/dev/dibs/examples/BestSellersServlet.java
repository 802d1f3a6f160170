package dev.dibs.examples;

import dev.dibs.Once;
import dev.dibs.ValueStore;
import dev.dibs.ValueWork;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.SQLException;

/** Whoever comes first after the list is out of date makes the new one, for all nodes. All others see the old one meanwhile. */
final class BestSellersServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final System.Logger LOG = System.getLogger("app.lists");

    private final transient Once once;
    private final transient ValueStore<String> lists;
    private final transient ValueWork<String, SQLException> slowQuery;

    /** Once is as in {@code dibs.once("best-sellers").every(Duration.ofDays(1))}. */
    BestSellersServlet(Once once, ValueStore<String> lists, ValueWork<String, SQLException> slowQuery) {
        this.once = once;
        this.lists = lists;
        this.slowQuery = slowQuery;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        response.setCharacterEncoding("UTF-8");
        response.getWriter().print(list());
    }

    /** Even who tried in vain to make the new one sees the old one. */
    private String list() {
        try {
            return once.getOrRefresh(lists, slowQuery);
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "The list was not made anew", e);
            return lists.get(once.name()).orElse("There is no list yet.");
        }
    }
}
