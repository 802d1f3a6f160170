package dev.dibs.cli.database;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsBuilder;
import dev.dibs.cli.verb.Invocation;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.text.OneLine;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A verb that works on the database: connects, runs, disconnects. */
public abstract class DatabaseVerb implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Mixin
    private final TableOptions tables = new TableOptions();

    @Mixin
    private final DialectOption dialect = new DialectOption();

    /** Does the work and returns the exit code. */
    protected abstract int run(Session session);

    /** Sets the options besides the tables. */
    protected void configure(DibsBuilder builder) {}

    /** The largest number of connections at once. */
    protected int connections() {
        return Pool.CONNECTIONS;
    }

    @Override
    public Integer call() {
        try (Session session = open(target())) {
            return runClearly(session);
        }
    }

    /** The most frequent failure is a missing table, for which there is a shorter message. */
    private int runClearly(Session session) {
        try {
            return run(session);
        } catch (DatabaseFailureException e) {
            throw clearer(session, e);
        }
    }

    /** The most frequent failure is a missing table; a verb that creates tables has a better message. */
    protected DatabaseFailureException clearer(Session session, DatabaseFailureException failure) {
        try {
            session.dibs().admin().checkSchema();
            return failure;
        } catch (DatabaseFailureException schema) {
            return schema.getCause() == null ? schema : failure;
        }
    }

    protected final Target target() {
        return connection.target(root().environment(), root().secrets());
    }

    protected final Session open(Target target) {
        return Session.open(target, connections(), builder -> {
            tables.applyTo(builder);
            dialect.applyTo(builder);
            configure(builder);
        });
    }

    /** The statements of the dialect in use. */
    protected final Statements statements(Session session) {
        return Statements.load(dialect.folder(session.dibs()), tables.fullPrefix());
    }

    /** The prefix of every table name. */
    protected final String tablePrefix() {
        return tables.fullPrefix();
    }

    protected final Invocation root() {
        return (Invocation) spec.root().userObject();
    }

    protected final CommandSpec spec() {
        return spec;
    }

    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    protected final void warn(String text) {
        spec.commandLine().getErr().println("dibs: " + clean(text));
    }

    /** The text without passwords. */
    protected final String mask(String text) {
        return root().secrets().mask(text);
    }

    /** One line that is safe to print. */
    protected final String clean(String text) {
        return OneLine.message(mask(text));
    }
}
