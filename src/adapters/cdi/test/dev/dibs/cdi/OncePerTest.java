package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.LeaseInfo;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Sql;
import dev.dibs.junit.Closing;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link OncePer} does when the method is called. */
@Tag("flow")
@FullRun
class OncePerTest extends Closing {

    @ApplicationScoped
    static class Jobs {

        final AtomicInteger calls = new AtomicInteger();

        @Inject
        DataSource dataSource;

        int calls() {
            return calls.get();
        }

        @OncePer("P30D")
        public void monthly() {
            calls.incrementAndGet();
        }

        @OncePer(value = "1h", name = "failing")
        public void failing() {
            calls.incrementAndGet();
            throw new IllegalArgumentException("no disk");
        }

        @Transactional
        @OncePer(value = "30d", name = "guarded")
        public void guarded(Dibs outside) throws SQLException {
            Sql.on(dataSource).run("INSERT INTO done VALUES (1)");
            // Nobody can: its row is locked.
            assertThatThrownBy(() -> outside.admin().breakLeases("guarded", LeaseInfo.Kind.ONCE))
                    .isInstanceOf(DatabaseFailureException.class);
        }

        @OncePer("1ms")
        public void tooOften() {}
    }

    abstract static class Inherited {

        @OncePer("P30D")
        public void run() {}
    }

    @ApplicationScoped
    static class First extends Inherited {}

    @Dependent
    static class Second extends Inherited {}

    @Test
    void theMethodRunsOnceAPeriodInOneOfTheApplications() {
        Map<String, String> url = Map.of("db.url", Applications.freshH2());
        WeldContainer one = closing(Applications.start(url, Jobs.class));
        WeldContainer other = closing(Applications.start(url, Jobs.class));
        for (int i = 0; i < 3; i++) {
            jobs(one).monthly();
            jobs(other).monthly();
        }
        assertThat(jobs(one).calls() + jobs(other).calls()).isEqualTo(1);
        assertThat(one.select(Dibs.class).get().admin().onces())
                .singleElement()
                .satisfies(once -> assertThat(once.name()).isEqualTo(Jobs.class.getName() + ".monthly"));

        assertThatThrownBy(() -> jobs(one).failing()).hasMessage("no disk");
        jobs(other).failing();
        assertThat(jobs(one).calls() + jobs(other).calls())
                .as("a pause after the failure")
                .isEqualTo(2);
        assertThatThrownBy(() -> jobs(one).tooOften()).hasMessageContaining("period");
    }

    @Test
    void beansThatInheritAMethodHaveANameEach() {
        WeldContainer application = closing(Applications.start(Map.of(), First.class, Second.class));
        application.select(First.class).get().run();
        application.select(Second.class).get().run();
        assertThat(application.select(Dibs.class).get().admin().onces())
                .extracting(once -> once.name())
                .containsExactlyInAnyOrder(First.class.getName() + ".run", Second.class.getName() + ".run");
    }

    @Test
    void aTransactionOfTheMethodIsGuarded() throws SQLException {
        String url = Applications.freshH2();
        WeldContainer application = closing(Applications.start(Map.of("db.url", url), Jobs.class));
        Dibs outside = closing(Dibs.on(new DriverDataSource(url, "sa", "")));
        Sql sql = Sql.on(Pool.of(application));
        sql.run("CREATE TABLE done (id int)");
        jobs(application).guarded(outside);
        jobs(application).guarded(outside);
        assertThat(sql.number("SELECT count(*) FROM done")).isEqualTo(1);
    }

    private static Jobs jobs(WeldContainer application) {
        return application.select(Jobs.class).get();
    }
}
