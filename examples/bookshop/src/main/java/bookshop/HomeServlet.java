package bookshop;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Links to all parts of the shop. */
public final class HomeServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Page.send(response, 200, "Bookshop", """
                <ul>
                <li><a href="best-sellers">Best-sellers</a>: one node makes a new list once a minute
                <li><a href="books/">Books</a>, to order, and <a href="books/export">all of them</a>, slowly
                <li><a href="mails">Mails</a> that went out for orders, and who has sent them
                <li><form method="post" action="sync/4711"><button>Sync customer 4711</button></form>
                <li><form method="post" action="sync/4712"><button>Sync customer 4712</button></form>
                <li><a href="forgotten">A new password</a> for ann@example.org: the link is in the log
                <li><form method="post" action="clean-up"><button>Clean up</button></form>
                <li><a href="console/">Console</a>
                </ul>""");
    }
}
