package bookshop;

import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The shop's own tables. */
final class Tables {

    private Tables() {}

    /** Creates the missing tables. One node at a time. */
    static void make(ServletContext context, Shop shop) {
        try (InputStream file = context.getResourceAsStream("/WEB-INF/bookshop.sql");
                Connection connection = shop.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            for (String sql : text.strip().split(";\\s*\n|;$", -1)) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("the shop's tables cannot be made", e);
        }
    }
}
