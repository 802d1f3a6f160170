package dev.dibs.examples;

import dev.dibs.Once;
import dev.dibs.ValueWork;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The same with tryRun: the list is where it was, and who is to make a new one does it before looking. */
final class PlainBestSellersServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final System.Logger LOG = System.getLogger("app.lists");

    private final transient Once once;
    private final transient DataSource dataSource;
    private final transient ValueWork<String, SQLException> slowQuery;

    PlainBestSellersServlet(Once once, DataSource dataSource, ValueWork<String, SQLException> slowQuery) {
        this.once = once;
        this.dataSource = dataSource;
        this.slowQuery = slowQuery;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        refresh();
        response.setContentType("text/plain");
        response.setCharacterEncoding("UTF-8");
        response.getWriter().print(new ListTable(dataSource).get(once.name()).orElse("There is no list yet."));
    }

    /** The write is in a transaction that commits only while the lease is ours: who was held up writes over no newer list. */
    private void refresh() {
        try {
            once.tryRun(lease -> {
                String list = slowQuery.make();
                lease.inTransaction(dataSource, connection -> ListTable.put(connection, once.name(), list));
            });
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.WARNING, "The list was not made anew", e);
        }
    }
}
