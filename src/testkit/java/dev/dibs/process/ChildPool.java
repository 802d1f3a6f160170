package dev.dibs.process;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Consumer;

/** The pool of a process whose first arguments are url, user and password, as {@code TestDatabase.startJvm} passes them. */
public final class ChildPool {

    private ChildPool() {}

    public static HikariDataSource open(String[] args, int size) {
        return open(args, config -> config.setMaximumPoolSize(size));
    }

    public static HikariDataSource open(String[] args, Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        settings.accept(config);
        return new HikariDataSource(config);
    }
}
