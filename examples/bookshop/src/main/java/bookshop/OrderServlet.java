package bookshop;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/** Stores an order and its mail in one transaction: both, or none. */
public final class OrderServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final int LONGEST = 200;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        request.setCharacterEncoding("UTF-8");
        String book = Optional.ofNullable(request.getParameter("book")).orElse("");
        String mail = Optional.ofNullable(request.getParameter("mail")).orElse("");
        if (!book.matches("[0-9]{1,9}") || mail.isBlank() || mail.length() > LONGEST) {
            Page.send(response, 400, "Not ordered", "<p>Which book, and for whom?</p>");
            return;
        }
        try (Connection connection = Shop.of(getServletContext()).dataSource().getConnection()) {
            boolean ordered = order(connection, Long.parseLong(book), mail);
            Page.send(
                    response,
                    ordered ? 200 : 404,
                    ordered ? "Ordered" : "Not ordered",
                    ordered ? "<p>A <a href=\"mails\">mail</a> is on its way.</p>" : "<p>There is no such book.</p>");
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }

    private static boolean order(Connection connection, long book, String mail) throws SQLException {
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            done = insert(
                            connection,
                            "INSERT INTO book_order (book_id, mail) SELECT id, ? FROM book WHERE id = ?",
                            mail,
                            book)
                    && insert(
                            connection,
                            "INSERT INTO order_mail (recipient, body) SELECT ?, 'You have ordered ' || title FROM book WHERE id = ?",
                            mail,
                            book);
            if (done) {
                connection.commit();
            }
            return done;
        } finally {
            if (!done) {
                connection.rollback();
            }
        }
    }

    private static boolean insert(Connection connection, String sql, String mail, long book) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, mail);
            insert.setLong(2, book);
            return insert.executeUpdate() == 1;
        }
    }
}
