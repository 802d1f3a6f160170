package dev.dibs.servlet;

import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The init parameters of a filter. An unknown one is an error, because a misspelled setting would weaken the lock. */
final class FilterParameters {

    private static final String KEYS = "session, session:<attribute>, user, header:<name> or path:<number>";

    private static final String NAMES =
            "key, kind, digest, noKey, methods, waitSeconds, busyStatus and retryAfterSeconds";

    private static final String KEY = "key";

    private FilterParameters() {}

    /** The settings of the parameters, or those given in Java; not both. */
    static LockFilterSettings of(FilterConfig config, @Nullable LockFilterSettings given) throws ServletException {
        List<String> names = Collections.list(config.getInitParameterNames());
        if (given == null) {
            return read(config, names);
        }
        if (names.isEmpty()) {
            return given;
        }
        throw new ServletException("The filter " + config.getFilterName() + " has its settings from its builder, and"
                + " the init parameters " + names + " besides. Leave them out");
    }

    private static LockFilterSettings read(FilterConfig config, List<String> names) throws ServletException {
        if (!names.contains(KEY)) {
            throw new ServletException("The filter " + config.getFilterName()
                    + " has no init parameter key, the key of its locks: " + KEYS);
        }
        LockFilterBuilder builder = LockFilter.builder(parsed(config, KEY, FilterParameters::key));
        for (String name : names) {
            parsed(config, name, text -> set(builder, name, text));
        }
        return builder.settings();
    }

    private static <T> T parsed(FilterConfig config, String name, Function<String, T> parser) throws ServletException {
        String text = config.getInitParameter(name).strip();
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            String why = e instanceof NumberFormatException ? "that is no whole number" : e.getMessage();
            throw new ServletException(
                    "The init parameter " + name + " = '" + text + "' of the filter " + config.getFilterName() + ": "
                            + why,
                    e);
        }
    }

    private static LockFilterBuilder set(LockFilterBuilder builder, String name, String text) {
        return switch (name) {
            case KEY -> builder;
            case "kind" -> builder.kind(text);
            case "digest" -> digest(builder, text);
            case "noKey" -> noKey(builder, text);
            case "methods" -> builder.methods(text.split("[,\\s]+", -1));
            case "waitSeconds" -> builder.waitUpTo(seconds(text));
            case "busyStatus" -> builder.busyStatus(Integer.parseInt(text));
            case "retryAfterSeconds" -> builder.retryAfter(seconds(text));
            default -> throw new IllegalArgumentException("there is no such parameter; there are " + NAMES);
        };
    }

    private static LockKey key(String text) {
        int end = text.indexOf(':') + 1;
        String detail = text.substring(end).strip();
        if (detail.isEmpty()) {
            throw new IllegalArgumentException("it must be " + KEYS);
        }
        return switch (end == 0 ? text : text.substring(0, end)) {
            case "session" -> LockKey.session();
            case "session:" -> LockKey.sessionAttribute(detail);
            case "user" -> LockKey.user();
            case "header:" -> LockKey.header(detail);
            case "path:" -> LockKey.pathPart(Integer.parseInt(detail));
            default -> throw new IllegalArgumentException("it must be " + KEYS);
        };
    }

    private static LockFilterBuilder noKey(LockFilterBuilder builder, String text) {
        return switch (text) {
            case "refuse" -> builder;
            case "pass" -> builder.passWithoutKey();
            default -> throw new IllegalArgumentException("it must be refuse or pass");
        };
    }

    private static LockFilterBuilder digest(LockFilterBuilder builder, String text) {
        return switch (text) {
            case "false" -> builder;
            case "true" -> builder.digestKeys();
            default -> throw new IllegalArgumentException("it must be true or false");
        };
    }

    private static Duration seconds(String text) {
        return Duration.ofSeconds(Long.parseLong(text));
    }
}
