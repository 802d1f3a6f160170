package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.junit.Closing;
import jakarta.ejb.Asynchronous;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An application with a method that cannot keep the promise of its annotation does not start, and says why. */
@Tag("flow")
@FullRun
class RefusedMethodsTest extends Closing {

    @Dependent
    static class NotSupported {
        @Locked("x")
        @Transactional(TxType.NOT_SUPPORTED)
        public void work() {}
    }

    @Dependent
    @Transactional(TxType.NEVER)
    static class Never {
        @Locked("x")
        public void work() {}
    }

    @Dependent
    static class Mandatory {
        @OncePer("1h")
        @Transactional(TxType.MANDATORY)
        public void work() {}
    }

    @Transactional(TxType.SUPPORTS)
    abstract static class Base {
        @Locked("x")
        public void work() {}
    }

    @Dependent
    static class Supports extends Base {}

    @Dependent
    static class NoTransaction {
        @Locked(value = "x", lease = false)
        public void work() {}
    }

    @Dependent
    static class AFuture {
        @Locked("x")
        public Future<String> work() {
            return new CompletableFuture<>();
        }
    }

    @Dependent
    static class AStage {
        @Locked("x")
        public CompletionStage<String> work() {
            return new CompletableFuture<>();
        }
    }

    @Dependent
    static class ACompletableFuture {
        @Locked("x")
        public CompletableFuture<String> work() {
            return new CompletableFuture<>();
        }
    }

    @Dependent
    static class APublisher {
        @Locked("x")
        public Flow.Publisher<String> work() {
            return subscriber -> {};
        }
    }

    @Dependent
    static class ASuspendFunction {
        @Locked("x")
        public Object work(Continuation<? super String> then) {
            return then;
        }
    }

    @Dependent
    static class AnAsynchronous {
        @Asynchronous
        @Locked("x")
        public void work() {}
    }

    @Dependent
    static class AStatic {
        @Locked("x")
        public static void work() {}
    }

    @Dependent
    static class APrivate {
        @Locked("x")
        @SuppressWarnings("UnusedMethod")
        private void work() {}
    }

    @Dependent
    static class NoDuration {
        @Locked(value = "x", waitFor = "5")
        public void work() {}
    }

    @Dependent
    static class NoPeriod {
        @OncePer("monthly")
        public void work() {}
    }

    @Dependent
    static class NoProperty {
        @Locked("x")
        public void work(@LockKey("id()") String key) {}
    }

    @Dependent
    static class TwoKeys {
        @Locked("x")
        public void work(@LockKey String one, @LockKey String other) {}
    }

    @Dependent
    static class AKeyOfOnce {
        @OncePer("1h")
        public void work(@LockKey String key) {}
    }

    @Dependent
    static class WithResult {
        @OncePer("P30D")
        public String work() {
            return "";
        }
    }

    @Dependent
    static class Both {
        @Locked("x")
        @OncePer("P30D")
        public void work() {}
    }

    @Dependent
    static class Overloads {
        @OncePer("P30D")
        public void work() {}

        @OncePer("P30D")
        public void work(String region) {}
    }

    @ApplicationScoped
    static class Good {
        @Locked("x")
        @Transactional(TxType.REQUIRES_NEW)
        public void work() {}

        @OncePer("500ms")
        public void job() {}
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(NotSupported.class, "REQUIRED or REQUIRES_NEW in place of NOT_SUPPORTED"),
                Arguments.of(Never.class, "in place of NEVER"),
                Arguments.of(Mandatory.class, "in place of MANDATORY"),
                Arguments.of(Supports.class, "in place of SUPPORTS"),
                Arguments.of(NoTransaction.class, "Add @Transactional"),
                Arguments.of(AFuture.class, "computed after the method has returned"),
                Arguments.of(AStage.class, "computed after the method has returned"),
                Arguments.of(ACompletableFuture.class, "computed after the method has returned"),
                Arguments.of(APublisher.class, "computed after the method has returned"),
                Arguments.of(ASuspendFunction.class, "a suspend function returns before"),
                Arguments.of(AnAsynchronous.class, "@Asynchronous"),
                Arguments.of(AStatic.class, "private, static or final"),
                Arguments.of(APrivate.class, "private, static or final"),
                Arguments.of(NoDuration.class, "'5' is no duration, such as 5s"),
                Arguments.of(NoPeriod.class, "'monthly' is no duration"),
                Arguments.of(NoProperty.class, "'id()' is not the name of a property"),
                Arguments.of(TwoKeys.class, "@LockKey at several parameters"),
                Arguments.of(AKeyOfOnce.class, "@LockKey is for methods with @Locked"),
                Arguments.of(WithResult.class, "must be void"),
                Arguments.of(Both.class, "@Locked and @OncePer"),
                Arguments.of(Overloads.class, "another method has the same name by default"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void theApplicationDoesNotStart(Class<?> type, String why) {
        assertThatThrownBy(() -> Applications.start(Map.of(), type).close())
                .hasMessageContaining(type.getName() + ".work()")
                .hasMessageContaining(why);
    }

    @Test
    void aMethodThatKeepsItsPromiseIsNotRefused() {
        WeldContainer application = closing(Applications.start(Map.of(), Good.class));
        assertThatCode(() -> application.select(Good.class).get().work()).doesNotThrowAnyException();
    }

    @Test
    void dataSourceOutsideOfTransactionsIsRefusedAtTheCall() {
        WeldContainer application = closing(
                Applications.startWith(Map.of("dibs.tables", "create"), Applications.weld(Good.class, Plain.class)));
        assertThatThrownBy(() -> application.select(Good.class).get().work())
                .hasMessageContaining("RefusedMethodsTest$Good.work(): its transaction cannot be guarded")
                .hasMessageContaining("take no part in it");
    }

    /** Its connections look as if they were in a transaction. */
    static class WithoutAutocommit {

        @Produces
        @Singleton
        HikariDataSource dataSource() {
            HikariConfig pool = new HikariConfig();
            pool.setJdbcUrl(Applications.freshH2());
            pool.setUsername("sa");
            pool.setMaximumPoolSize(4);
            pool.setAutoCommit(false);
            return new HikariDataSource(pool);
        }

        void close(@Disposes HikariDataSource dataSource) {
            dataSource.close();
        }
    }

    @Test
    void poolWithoutAutocommitOutsideOfTransactionsIsRefusedAtTheCall() {
        WeldContainer application = closing(Applications.startWith(
                Map.of("dibs.tables", "create"), Applications.weld(Good.class, WithoutAutocommit.class)));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> application.select(Good.class).get().work())
                    .hasMessageContaining("RefusedMethodsTest$Good.work(): its transaction cannot be guarded");
        }
    }

    @Test
    void aPoolWithoutAutocommitThatTakesPartInTransactionsIsGuarded() {
        WeldContainer application = closing(Applications.start(Map.of("db.autocommit", "false"), Good.class));
        assertThatCode(() -> application.select(Good.class).get().work()).doesNotThrowAnyException();
    }
}
