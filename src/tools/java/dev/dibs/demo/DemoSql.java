package dev.dibs.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of {@code demo.sql} by name, for tables that begin with one prefix. */
final class DemoSql {

    private static final Pattern STATEMENT = Pattern.compile("(?ms)^-- name: (\\w+)\\n(.*?);$");

    private final Map<String, String> statements = new LinkedHashMap<>();

    private final String prefix;

    DemoSql(String prefix) {
        this.prefix = prefix;
        Matcher statement = STATEMENT.matcher(text().replace("{prefix}", prefix));
        while (statement.find()) {
            statements.put(statement.group(1), statement.group(2));
        }
    }

    private static String text() {
        try (InputStream in = DemoSql.class.getResourceAsStream("demo.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is incomplete: demo.sql", e);
        }
    }

    /** What the tables' names begin with. */
    String prefix() {
        return prefix;
    }

    String text(String name) {
        String text = statements.get(name);
        if (text == null) {
            throw new IllegalArgumentException("no statement '" + name + "'");
        }
        return text;
    }

    /** The statements that make tables and indexes, in the file's order. */
    Iterable<String> creating() {
        return statements.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("create_"))
                .map(Map.Entry::getValue)
                .toList();
    }
}
