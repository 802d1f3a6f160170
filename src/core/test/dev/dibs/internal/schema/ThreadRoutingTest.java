package dev.dibs.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.FaultyDataSource;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

@Tag("unit")
class ThreadRoutingTest {

    private static final DataSource PLAIN = new DriverManagerDataSource("jdbc:h2:mem:routing");

    /** Like Spring's, which needs more of Spring than there is here. */
    private abstract static class AbstractRoutingDataSource extends AbstractDataSource {
        @Override
        public Connection getConnection() {
            throw new IllegalStateException("no tenant here");
        }

        @Override
        public Connection getConnection(String user, String password) {
            return getConnection();
        }

        /** As if it were Spring's. */
        @Override
        public boolean isWrapperFor(Class<?> type) {
            return type.getName().equals("org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource");
        }
    }

    /** Its own name says nothing. */
    private static final class Chosen extends AbstractRoutingDataSource {}

    private static DataSource proxied(DataSource target) {
        return (DataSource) Proxy.newProxyInstance(
                Chosen.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.invoke(target, arguments));
    }

    @Test
    void aRoutingDataSourceIsRecognizedByItsSuperclassAndBehindWrappers() {
        Chosen routing = new Chosen();
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(routing);
        for (DataSource each : List.of(
                routing,
                new LazyConnectionDataSourceProxy(routing),
                new TransactionAwareDataSourceProxy(new DelegatingDataSource(routing)),
                new FaultyDataSource(routing),
                proxied(routing),
                pool)) {
            assertThat(ThreadRouting.nameOf(each)).as(each.getClass().getName()).isPresent();
        }
    }

    @Test
    void otherDataSourcesAreNotRecognized() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(PLAIN);
        for (DataSource each : List.of(
                PLAIN,
                new DelegatingDataSource(PLAIN),
                new TransactionAwareDataSourceProxy(PLAIN),
                new FaultyDataSource(PLAIN),
                proxied(PLAIN),
                pool,
                new HikariDataSource())) {
            assertThat(ThreadRouting.nameOf(each)).as(each.getClass().getName()).isEmpty();
        }
    }
}
