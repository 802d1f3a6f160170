package dev.dibs.demo;

import dev.dibs.scratch.ScratchSql;

/** The statements of {@code demo.sql} by name, for tables that begin with one prefix. */
final class DemoSql {

    private final ScratchSql statements;
    private final String prefix;

    DemoSql(String prefix) {
        this.prefix = prefix;
        this.statements = new ScratchSql(DemoSql.class, "demo.sql", "prefix", prefix);
    }

    /** The prefix of the tables' names. */
    String prefix() {
        return prefix;
    }

    String text(String name) {
        return statements.text(name);
    }

    /** The statements that create tables and indexes, in the file's order. */
    Iterable<String> creating() {
        return statements.all("create_");
    }
}
