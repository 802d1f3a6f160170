package dev.dibs.spring;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Data sources that Spring wraps. */
final class DataSources {

    private DataSources() {}

    /** Without the wrapper that gives out the connection of a running transaction: Dibs acquires and renews on its own ones. */
    static DataSource ofDibs(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            target = proxy.getTargetDataSource();
        }
        return target;
    }

    /** Whether both are the same one, or wrappers of Spring's around it. */
    static boolean areSame(DataSource one, DataSource other) {
        return innermost(one) == innermost(other);
    }

    private static DataSource innermost(DataSource dataSource) {
        DataSource target = dataSource;
        for (DataSource inner = inner(target); inner != null; inner = inner(target)) {
            target = inner;
        }
        return target;
    }

    private static @Nullable DataSource inner(DataSource dataSource) {
        return dataSource instanceof DelegatingDataSource wrapper ? wrapper.getTargetDataSource() : null;
    }
}
