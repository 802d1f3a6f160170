package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.FullRun;
import dev.dibs.junit.Closing;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;

/** How often a method with {@link Locked} asks the context for its bean {@link Dibs}. */
@Tag("flow")
@FullRun
class DibsBeanTest extends Closing {

    static class Job {

        private Runnable inside = () -> {};

        public void setInside(Runnable inside) {
            this.inside = inside;
        }

        @Locked("job")
        public void work() {
            inside.run();
        }

        @Locked("other job")
        public void otherWork() {}
    }

    @EnableAutoConfiguration
    static class Application {

        @Bean
        Job job() {
            return new Job();
        }
    }

    static class TwoDibs extends Application {

        @Bean
        @Primary
        Dibs mine(DataSource dataSource) {
            Dibs dibs = Dibs.builder(dataSource).holder("primary").build();
            dibs.admin().createSchema();
            return dibs;
        }

        @Bean
        Dibs other(DataSource dataSource) {
            return Dibs.builder(dataSource).holder("other").build();
        }
    }

    /** As a bean of a request or of a tenant, without a proxy. */
    static class AnotherDibsForEachCall extends Application {

        final List<Dibs> made = new ArrayList<>();

        @Bean
        @Scope("prototype")
        Dibs mine(DataSource dataSource) {
            Dibs dibs = Dibs.on(dataSource);
            dibs.admin().createSchema();
            made.add(dibs);
            return dibs;
        }
    }

    @SuppressWarnings("serial")
    private static final class Counting extends DefaultListableBeanFactory {

        private int asked;

        @Override
        public <T> T getBean(Class<T> type) {
            asked += type == Dibs.class ? 1 : 0;
            return super.getBean(type);
        }

        @Override
        public <T> NamedBeanHolder<T> resolveNamedBean(Class<T> type) {
            asked += type == Dibs.class ? 1 : 0;
            return super.resolveNamedBean(type);
        }
    }

    private final Counting beans = new Counting();

    private ConfigurableApplicationContext start(Class<?> configuration) {
        return start(configuration, context -> {});
    }

    private ConfigurableApplicationContext start(
            Class<?> configuration, ApplicationContextInitializer<ConfigurableApplicationContext> initializer) {
        SpringApplication application = new SpringApplication(configuration);
        application.setDefaultProperties(Applications.DEFAULTS);
        application.addInitializers(initializer);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setApplicationContextFactory(type -> new AnnotationConfigApplicationContext(beans));
        return closing(application.run(
                "--spring.autoconfigure.exclude=" + Boot.JPA, Applications.freshH2(), "--dibs.tables=create"));
    }

    /** Returns how often the context was asked. */
    private int work(ConfigurableApplicationContext application) {
        Job job = application.getBean(Job.class);
        beans.asked = 0;
        for (int i = 0; i < 3; i++) {
            job.work();
            job.otherWork();
        }
        return beans.asked;
    }

    @Test
    void theContextIsAskedOnce() {
        assertThat(work(start(Application.class))).isEqualTo(1);
    }

    @Test
    void theBeanMayBeInTheParentContext() {
        ConfigurableApplicationContext parent =
                closing(Applications.start(Application.class, Applications.freshH2(), "--dibs.tables=create"));
        ConfigurableApplicationContext child = start(Application.class, context -> context.setParent(parent));
        assertThat(work(child)).isEqualTo(1);
    }

    @Test
    void thePrimaryBeanIsTaken() {
        ConfigurableApplicationContext application = start(TwoDibs.class);
        Dibs other = application.getBean("other", Dibs.class);
        List<String> holders = new ArrayList<>();
        application
                .getBean(Job.class)
                .setInside(() -> other.admin().locks().forEach(lease -> holders.add(lease.holder())));
        assertThat(work(application)).isEqualTo(1);
        assertThat(holders).containsExactly("primary", "primary", "primary");
    }

    @Test
    void aBeanThatIsNoSingletonIsAskedForByEachCall() {
        ConfigurableApplicationContext application = start(AnotherDibsForEachCall.class);
        List<Dibs> made = application.getBean(AnotherDibsForEachCall.class).made;
        int before = made.size();
        try {
            assertThat(work(application)).isEqualTo(6);
            assertThat(made).hasSize(before + 6);
        } finally {
            made.forEach(Dibs::close);
        }
    }
}
