package dev.dibs.demo;

import dev.dibs.statements.OwnStatements;
import java.util.Map;

/** The statements of {@code demo.sql} by name, for tables that begin with one prefix. */
final class DemoSql {

    private final Map<String, String> statements;
    private final String prefix;

    DemoSql(String prefix) {
        this.prefix = prefix;
        this.statements = OwnStatements.read(DemoSql.class, "demo.sql", Map.of("prefix", prefix));
    }

    /** The prefix of the tables' names. */
    String prefix() {
        return prefix;
    }

    String text(String name) {
        return statements.get(name);
    }

    /** The statements that create tables and indexes, in the file's order. */
    Iterable<String> creating() {
        return statements.keySet().stream()
                .filter(name -> name.startsWith("create_"))
                .map(statements::get)
                .toList();
    }
}
