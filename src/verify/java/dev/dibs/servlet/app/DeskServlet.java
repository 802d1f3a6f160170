package dev.dibs.servlet.app;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/** The test's own requests to the application. No filter covers it. */
public final class DeskServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Desk desk = Desk.of(String.valueOf(request.getParameter("desk")));
        if (request.getPathInfo().equals("/go")) {
            desk.letGo();
        } else if (request.getPathInfo().equals("/sql")) {
            execute(request.getParameter("sql"));
        }
        WorkServlet.say(response, desk.report());
    }

    @SuppressWarnings("BanJNDI")
    private static void execute(String sql) throws ServletException {
        try {
            DataSource pool = (DataSource) new InitialContext().lookup("java:comp/env/jdbc/shop");
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        } catch (NamingException | SQLException e) {
            throw new ServletException(e);
        }
    }
}
