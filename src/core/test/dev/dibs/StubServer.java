package dev.dibs;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A server that answers the two questions of the start, and refuses everything else, as its real counterpart would. */
final class StubServer {

    private final String product;
    private final String version;

    /** The answer to {@code check_settings}; null if the server does not know the question. */
    private final @Nullable String saidWithSettings;

    /** The answer to {@code read_version}; null if the server does not know the question. */
    private final @Nullable String said;

    private final SQLException refusal;
    private final List<String> asked = new ArrayList<>();

    private StubServer(
            String product,
            String version,
            @Nullable String saidWithSettings,
            @Nullable String said,
            SQLException refusal) {
        this.product = product;
        this.version = version;
        this.saidWithSettings = saidWithSettings;
        this.said = said;
        this.refusal = refusal;
    }

    /** Answers all that a real server of the product answers. */
    static StubServer answering(String product, String version, String said) {
        return new StubServer(product, version, said, said, new SQLException("no such table", "42P01"));
    }

    /** Refuses the question about settings, and says at most what it is. */
    static StubServer refusing(String product, String version, @Nullable String said, SQLException refusal) {
        return new StubServer(product, version, null, said, refusal);
    }

    DataSource dataSource() {
        return stub(DataSource.class, Map.of(), (proxy, method, args) -> connection());
    }

    /** The statements that it was sent. */
    List<String> asked() {
        return asked;
    }

    private Connection connection() {
        DatabaseMetaData metaData = stub(
                DatabaseMetaData.class,
                Map.of("getDatabaseProductName", product, "getDatabaseProductVersion", version),
                null);
        return stub(Connection.class, Map.of("getMetaData", metaData, "getAutoCommit", true), (proxy, method, args) -> {
            if (method.getName().equals("prepareStatement")) {
                asked.add((String) args[0]);
                return statement((String) args[0]);
            }
            return nothing(method.getReturnType());
        });
    }

    private PreparedStatement statement(String sql) {
        String answer = sql.contains("'version'") ? saidWithSettings : sql.contains("version()") ? said : null;
        return stub(PreparedStatement.class, Map.of("getUpdateCount", -1), (proxy, method, args) -> {
            return switch (method.getName()) {
                case "execute" -> {
                    if (answer == null) {
                        throw refusal;
                    }
                    yield true;
                }
                case "getResultSet" -> row(answer);
                default -> nothing(method.getReturnType());
            };
        });
    }

    private static ResultSet row(@Nullable String answer) {
        List<String> rows = new ArrayList<>(List.of("before the row"));
        Map<String, String> finding =
                Map.of("level", "ok", "subject", "version", "message", String.valueOf(answer), "remedy", "");
        return stub(ResultSet.class, Map.of(), (proxy, method, args) -> switch (method.getName()) {
            case "next" -> !rows.isEmpty() && rows.remove(0) != null;
            case "getString" -> args[0] instanceof Integer ? answer : finding.get(args[0]);
            default -> nothing(method.getReturnType());
        });
    }

    private static <T> T stub(Class<T> type, Map<String, ?> answers, @Nullable InvocationHandler others) {
        return type.cast(Proxy.newProxyInstance(
                StubServer.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    Object answer = answers.get(method.getName());
                    if (answer != null) {
                        return answer;
                    }
                    return others == null ? nothing(method.getReturnType()) : others.invoke(proxy, method, args);
                }));
    }

    private static @Nullable Object nothing(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? (Object) 0 : null;
    }
}
