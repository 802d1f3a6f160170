package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.FullRun;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.spi.Context;
import jakarta.enterprise.context.spi.Contextual;
import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.inject.Scope;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often a method with {@link Locked} asks the container for its bean {@link Dibs}. */
@Tag("flow")
@FullRun
class DibsBeanTest {

    /** As a singleton has it. */
    @Scope
    @Retention(RetentionPolicy.RUNTIME)
    @interface Counted {}

    static final class CountedContext implements Context {

        static final AtomicInteger ASKED = new AtomicInteger();

        private final Map<Contextual<?>, Object> instances = new ConcurrentHashMap<>();

        @Override
        public Class<? extends Annotation> getScope() {
            return Counted.class;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T get(Contextual<T> bean, CreationalContext<T> creational) {
            ASKED.incrementAndGet();
            return (T) instances.computeIfAbsent(bean, some -> bean.create(creational));
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T get(Contextual<T> bean) {
            ASKED.incrementAndGet();
            return (T) instances.get(bean);
        }

        @Override
        public boolean isActive() {
            return true;
        }
    }

    static class CountedScope implements Extension {

        void add(@Observes AfterBeanDiscovery beans) {
            beans.addContext(new CountedContext());
        }
    }

    static class WithACountedDibs {

        @Produces
        @Counted
        Dibs mine(DataSource dataSource) {
            Dibs dibs = Dibs.on(dataSource);
            dibs.admin().createSchema();
            return dibs;
        }

        void close(@Disposes Dibs dibs) {
            dibs.close();
        }
    }

    @ApplicationScoped
    static class Job {

        @Locked("job")
        public void work() {}

        @Locked("other job")
        public void otherWork() {}
    }

    @Test
    void theContainerIsAskedOnce() {
        try (WeldContainer application = Applications.startWith(
                Map.of("db.url", Applications.freshH2(), "db.user", "sa"),
                Applications.weld(WithACountedDibs.class, Job.class)
                        .addBeanClasses(Pool.class)
                        .addExtension(new CountedScope()))) {
            Job job = application.select(Job.class).get();
            CountedContext.ASKED.set(0);
            for (int i = 0; i < 3; i++) {
                job.work();
                job.otherWork();
            }
            assertThat(CountedContext.ASKED).hasValue(1);
        }
    }
}
