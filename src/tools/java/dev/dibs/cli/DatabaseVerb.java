package dev.dibs.cli;

import dev.dibs.DibsBuilder;
import dev.dibs.DibsException;
import dev.dibs.text.OneLine;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A verb that works on the database: connects, runs, disconnects. */
abstract class DatabaseVerb implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Mixin
    private final TableOptions tables = new TableOptions();

    @Mixin
    private final DialectOption dialect = new DialectOption();

    /** Does the work and returns the exit code. */
    abstract int run(Session session);

    /** What is to be set besides the tables. */
    void configure(DibsBuilder builder) {}

    /** How many connections it may need at once. */
    int connections() {
        return Pool.CONNECTIONS;
    }

    @Override
    public Integer call() {
        try (Session session = open(target())) {
            return runClearly(session);
        }
    }

    /** The most frequent reason of a failure is a missing table, and that can be said in fewer words. */
    private int runClearly(Session session) {
        try {
            return run(session);
        } catch (DibsException e) {
            throw clearer(session, e);
        }
    }

    /** The most frequent reason is that the tables are not there; a verb that makes them knows better. */
    DibsException clearer(Session session, DibsException failure) {
        try {
            session.dibs().admin().checkSchema();
            return failure;
        } catch (DibsException schema) {
            return schema.getCause() == null ? schema : failure;
        }
    }

    final Target target() {
        return connection.target(root().environment(), root().secrets());
    }

    final Session open(Target target) {
        return Session.open(target, connections(), builder -> {
            tables.applyTo(builder);
            dialect.applyTo(builder);
            configure(builder);
        });
    }

    /** What stands before the name of every table. */
    final String tablePrefix() {
        return tables.fullPrefix();
    }

    final DibsCommand root() {
        return (DibsCommand) spec.root().userObject();
    }

    final CommandSpec spec() {
        return spec;
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final void warn(String text) {
        spec.commandLine().getErr().println("dibs: " + clean(text));
    }

    /** The text without passwords. */
    final String mask(String text) {
        return root().secrets().mask(text);
    }

    /** One line that is fit to be shown. */
    final String clean(String text) {
        return OneLine.message(mask(text));
    }
}
