package dev.dibs.servlet;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import jakarta.servlet.ServletContext;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings of the context parameters. */
final class ContextSettings {

    static final String DATA_SOURCE = "dibs.dataSource";
    static final String CREATE_SCHEMA = "dibs.createSchema";

    private static final String DEFAULT_DATA_SOURCE = "java:comp/env/jdbc/dibs";
    private static final String SCHEMA = "dibs.schema";
    private static final String TABLE_PREFIX = "dibs.tablePrefix";
    private static final String HOLDER = "dibs.holder";
    private static final String LEASE_SECONDS = "dibs.leaseSeconds";

    private final ServletContext context;

    ContextSettings(ServletContext context) {
        this.context = context;
    }

    DibsBuilder builder() {
        String name = text(DATA_SOURCE);
        DibsBuilder builder = Dibs.builder(JndiDataSource.find(name == null ? DEFAULT_DATA_SOURCE : name));
        set(SCHEMA, builder::schema);
        set(TABLE_PREFIX, builder::tablePrefix);
        set(HOLDER, builder::holder);
        set(LEASE_SECONDS, seconds -> builder.leaseLength(Duration.ofSeconds(Long.parseLong(seconds))));
        return builder;
    }

    /** The capabilities whose tables are created; empty for none. */
    Set<Capability> createdSchema() {
        String text = text(CREATE_SCHEMA);
        if (text == null || text.equals("false")) {
            return Set.of();
        }
        if (text.equals("true")) {
            return Set.of(Capability.values());
        }
        try {
            return Stream.of(text.split(",", -1))
                    .map(name -> Capability.named(name.strip()))
                    .collect(Collectors.toSet());
        } catch (IllegalArgumentException e) {
            throw wrong(CREATE_SCHEMA, text, "it must be true, false, or capabilities: " + e.getMessage(), e);
        }
    }

    /** Reports missing tables at the start, and not to the first visitor. */
    static void explainSchema(Dibs dibs, Capability... required) {
        try {
            dibs.admin().checkSchema(required);
        } catch (DatabaseFailureException e) {
            throw new DatabaseFailureException(
                    e.getMessage() + ". In a web application that may create tables, the context parameter "
                            + CREATE_SCHEMA + " = true creates the missing ones",
                    e.getCause());
        }
    }

    private void set(String parameter, Consumer<String> setting) {
        String text = text(parameter);
        if (text != null) {
            try {
                setting.accept(text);
            } catch (NumberFormatException e) {
                throw wrong(parameter, text, "it must be a whole number", e);
            } catch (IllegalArgumentException e) {
                throw wrong(parameter, text, String.valueOf(e.getMessage()), e);
            }
        }
    }

    private @Nullable String text(String parameter) {
        String text = context.getInitParameter(parameter);
        if (text == null) {
            return null;
        }
        if (text.isBlank()) {
            throw wrong(parameter, text, "it is empty; leave it out for the default", null);
        }
        return text.strip();
    }

    private static IllegalStateException wrong(String parameter, String text, String why, @Nullable Exception cause) {
        return new IllegalStateException("The context parameter " + parameter + " is '" + text + "': " + why, cause);
    }
}
