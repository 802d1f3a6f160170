package dev.dibs.cli.database;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source that makes connections, and has no settings of its own. */
interface ConnectionSource extends DataSource {

    @Override
    default @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    default void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    default void setLoginTimeout(int seconds) {}

    @Override
    default int getLoginTimeout() {
        return 0;
    }

    @Override
    default Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("it wraps nothing");
    }

    @Override
    default boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
