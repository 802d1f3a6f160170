package dev.dibs.internal.sql.catalog;

import dev.dibs.database.Sql;
import dev.dibs.internal.sql.files.NamePart;
import dev.dibs.junit.Closing;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CatalogTest extends Closing {

    @Test
    void anUnderscoreIsOneAndNothingElse() throws SQLException {
        Connection connection = closing(tables());
        Optional<TableInfo> found = find(connection, new NamePart("WORK_95", true));
        assertThat(found.map(TableInfo::primaryKey)).contains(List.of("ID"));
        assertThat(found.map(TableInfo::nullable)).contains(Set.of("NOTE"));
        assertThat(find(connection, new NamePart("WOR_X95", true))).isEmpty();
    }

    /** The driver of SQL Server translates an escape of JDBC into one that not every server with its protocol understands. */
    @Test
    void aTableIsFoundWhereTheServerKnowsNoEscape() throws SQLException {
        Connection connection = closing(tables());
        assertThat(find(withoutEscapes(connection), new NamePart("WORK_95", true)))
                .isPresent();
    }

    @Test
    void aNameWithTheEscapeInItIsFound() throws SQLException {
        Connection connection = closing(tables());
        assertThat(find(connection, new NamePart("back\\sl_ash", true))).isPresent();
    }

    private static Optional<TableInfo> find(Connection connection, NamePart... name) throws SQLException {
        return new Catalog(connection, Map.of(), Map.of()).table(List.of(name));
    }

    private static Connection tables() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
        Sql.on(connection)
                .run(
                        "CREATE TABLE workx95 (other int, more int)",
                        "CREATE TABLE work_95 (id bigint PRIMARY KEY, note varchar(10))",
                        "CREATE TABLE \"back\\sl_ash\" (id bigint PRIMARY KEY)");
        return connection;
    }

    private static Connection withoutEscapes(Connection connection) throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        DatabaseMetaData careless = proxy(
                DatabaseMetaData.class,
                meta,
                arguments -> Arrays.stream(arguments)
                        .map(argument -> argument instanceof String text ? text.replace("\\_", "[_]") : argument)
                        .toArray());
        return (Connection) Proxy.newProxyInstance(
                CatalogTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) ->
                        method.getName().equals("getMetaData") ? careless : method.invoke(connection, arguments));
    }

    private interface Change {
        Object[] of(Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, T real, Change change) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return method.invoke(real, arguments == null ? null : change.of(arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
