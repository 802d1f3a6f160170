package dev.dibs.spring;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts applications. */
final class Applications {

    static final Map<String, Object> DEFAULTS = Map.of(
            "spring.main.banner-mode", "off",
            "spring.main.register-shutdown-hook", "false",
            "logging.level.root", "warn",
            "spring.flyway.enabled", "false",
            "spring.liquibase.enabled", "false",
            "spring.datasource.hikari.maximum-pool-size", "8");

    private Applications() {}

    /** Without JPA. The settings are arguments of the command line. */
    static ConfigurableApplicationContext start(Class<?> configuration, String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add(0, "--spring.autoconfigure.exclude=" + Boot.JPA);
        return startWithJpa(configuration, all.toArray(String[]::new));
    }

    static ConfigurableApplicationContext startWithJpa(Class<?> configuration, String... settings) {
        SpringApplication application = new SpringApplication(configuration);
        application.setDefaultProperties(DEFAULTS);
        application.setWebApplicationType(WebApplicationType.NONE);
        return application.run(settings);
    }

    /** The class path of these tests without the libraries whose file names contain one of these. */
    static String classPathWithout(String... libraries) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Stream.of(libraries).noneMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The url of an empty database. */
    static String freshH2() {
        return "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }
}
