package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.database.FullRun;
import dev.dibs.junit.Closing;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** An application with a method that cannot keep the promise of its annotation does not start, and says why. */
@Tag("flow")
@FullRun
class RefusedMethodsTest extends Closing {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DibsAutoConfiguration.class)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Application {

        @Bean
        @Primary
        DataSource orders() {
            return h2();
        }

        @Bean
        DataSource archive() {
            return h2();
        }

        @Bean
        @Primary
        TransactionManager ordersTransactions(DataSource orders) {
            return new JdbcTransactionManager(orders);
        }

        @Bean
        TransactionManager archiveTransactions() {
            return new DataSourceTransactionManager(archive());
        }

        @Bean
        TransactionManager otherTransactions() {
            return new OtherTransactions();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DibsAutoConfiguration.class)
    static class WithoutTransactions {

        @Bean
        DataSource orders() {
            return h2();
        }

        @Bean
        TransactionManager transactions(DataSource orders) {
            return new JdbcTransactionManager(orders);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DibsAutoConfiguration.class)
    @EnableTransactionManagement(proxyTargetClass = true, order = 0)
    static class WithTransactionsFirst extends WithoutTransactions {}

    private static DataSource h2() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return dataSource;
    }

    static class ReadOnly {
        @Locked("x")
        @Transactional(readOnly = true)
        public void work() {}
    }

    static class NoTransaction {
        @Locked(value = "x", lease = false)
        public void work() {}
    }

    static class Nested {
        @Locked("x")
        @Transactional(propagation = Propagation.NESTED)
        public void work() {}
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    static class NotSupported {
        @Locked("x")
        public void work() {}
    }

    static class Never {
        @Locked("x")
        @Transactional(propagation = Propagation.NEVER)
        public void work() {}
    }

    static class Mandatory {
        @Locked("x")
        @Transactional(propagation = Propagation.MANDATORY)
        public void work() {}
    }

    static class Supports {
        @Locked("x")
        @Transactional(propagation = Propagation.SUPPORTS)
        public void work() {}
    }

    static class AFuture {
        @Locked("x")
        public Future<String> work() {
            return new CompletableFuture<>();
        }
    }

    static class APublisher {
        @Locked("x")
        public Flow.Publisher<String> work() {
            return subscriber -> {};
        }
    }

    static class AnAsync {
        @Async
        @Locked("x")
        public void work() {}
    }

    static class AFinal {
        @Locked("x")
        public final void work() {}
    }

    static class APrivate {
        @Locked("x")
        @SuppressWarnings("UnusedMethod")
        private void work() {}
    }

    static class OtherDataSource {
        @Locked("x")
        @Transactional("archiveTransactions")
        public void work() {}
    }

    static class OtherManager {
        @Locked("x")
        @Transactional("otherTransactions")
        public void work() {}
    }

    static class NoDuration {
        @Locked(value = "x", waitFor = "5")
        public void work() {}
    }

    static class NoExpression {
        @Locked(value = "x", key = "#a.")
        public void work(String a) {}
    }

    static class WithResult {
        @OncePer("P30D")
        public String work() {
            return "";
        }
    }

    static class ShortPeriod {
        @OncePer("1ms")
        public void work() {}
    }

    static class Both {
        @Locked("x")
        @OncePer("P30D")
        public void work() {}
    }

    static class Overloads {
        @OncePer("P30D")
        public void work() {}

        @OncePer("P30D")
        public void work(String region) {}
    }

    static class Job {
        @OncePer("P30D")
        public void work() {}
    }

    static class FirstJob extends Job {}

    static class SecondJob extends Job {}

    static class Good {
        @Locked("x")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void work() {}
    }

    static class OtherTransactions extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(ReadOnly.class, "readOnly"),
                Arguments.of(NoTransaction.class, "Add @Transactional"),
                Arguments.of(Nested.class, "REQUIRED or REQUIRES_NEW"),
                Arguments.of(NotSupported.class, "REQUIRED or REQUIRES_NEW"),
                Arguments.of(Never.class, "REQUIRED or REQUIRES_NEW"),
                Arguments.of(Mandatory.class, "REQUIRED or REQUIRES_NEW"),
                Arguments.of(Supports.class, "REQUIRED or REQUIRES_NEW"),
                Arguments.of(AFuture.class, "Future is computed after"),
                Arguments.of(APublisher.class, "Publisher is computed after"),
                Arguments.of(AnAsync.class, "@Async"),
                Arguments.of(AFinal.class, "private, static or final"),
                Arguments.of(APrivate.class, "private, static or final"),
                Arguments.of(OtherDataSource.class, "another data source than Dibs"),
                Arguments.of(OtherManager.class, "OtherTransactions cannot be guarded"),
                Arguments.of(NoDuration.class, "'5' is no duration, such as 5s"),
                Arguments.of(NoExpression.class, "'#a.' is no expression"),
                Arguments.of(WithResult.class, "must be void"),
                Arguments.of(ShortPeriod.class, "period"),
                Arguments.of(Both.class, "@Locked and @OncePer"),
                Arguments.of(Overloads.class, "has the same name by default"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void theApplicationDoesNotStart(Class<?> type, String why) {
        assertThatThrownBy(() -> start(Application.class, type).close())
                .hasMessageContaining(type.getName() + ".work()")
                .hasStackTraceContaining(why);
    }

    @Test
    void aBeanThatIsMadeLaterIsRefusedThen() {
        var application = closing(new AnnotationConfigApplicationContext());
        application.register(Application.class, LatePrototype.class);
        create(application);
        assertThatThrownBy(() -> application.getBean(ReadOnly.class)).hasStackTraceContaining("readOnly");
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoJobs {
        @Bean
        Job day() {
            return new Job();
        }

        @Bean
        Job night() {
            return new Job();
        }
    }

    @Test
    void twoBeansOfOneClassHaveNoNameByDefault() {
        assertThatThrownBy(() -> start(Application.class, TwoJobs.class).close())
                .hasStackTraceContaining("has the same name by default")
                .hasStackTraceContaining("Give each a name");
    }

    @Configuration(proxyBeanMethods = false)
    static class PrototypeJob {
        @Bean
        @Scope("prototype")
        Job job() {
            return new Job();
        }
    }

    @Test
    void beansOfOneDefinitionAndBeansThatInheritAMethodHaveNames() {
        var application = closing(start(Application.class, PrototypeJob.class, FirstJob.class, SecondJob.class));
        application.getBean("job", Job.class).work();
        application.getBean("job", Job.class).work();
        application.getBean(FirstJob.class).work();
        application.getBean(SecondJob.class).work();
        assertThat(application.getBean(Dibs.class).admin().onces())
                .extracting(once -> once.name())
                .containsExactlyInAnyOrder(
                        Job.class.getName() + ".work",
                        FirstJob.class.getName() + ".work",
                        SecondJob.class.getName() + ".work");
    }

    @Configuration(proxyBeanMethods = false)
    static class LatePrototype {
        @Bean
        @Scope("prototype")
        ReadOnly late() {
            return new ReadOnly();
        }
    }

    @Test
    void aTransactionThatIsNeverBegunIsRefused() {
        assertThatThrownBy(() -> start(WithoutTransactions.class, Good.class).close())
                .hasMessageContaining("annotation-driven transactions are off");
    }

    @Test
    void aTransactionThatBeginsBeforeTheLockIsRefused() {
        assertThatThrownBy(() -> start(WithTransactionsFirst.class, Good.class).close())
                .hasMessageContaining("begins before the lock is acquired");
    }

    @Test
    void aMethodThatKeepsItsPromiseIsNotRefused() {
        var application = closing(start(Application.class, Good.class));
        application.getBean(Good.class).work();
        assertThat(application
                        .getBean("ordersTransactions", JdbcTransactionManager.class)
                        .getTransactionExecutionListeners())
                .hasSize(1);
    }

    private static AnnotationConfigApplicationContext start(Class<?>... classes) {
        AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
        application.register(classes);
        try {
            create(application);
        } catch (RuntimeException e) {
            application.close();
            throw e;
        }
        return application;
    }

    private static void create(AnnotationConfigApplicationContext application) {
        application
                .getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", java.util.Map.of("dibs.tables", "create")));
        application.refresh();
    }
}
