package dev.dibs.cli.admin;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates the tables. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Creates the missing tables, or with --only those of some capabilities: to use locks, the table of locks is enough."
                    + " Adds the columns that tables of an earlier version lack."
                    + " If nothing is missing, it prints the rights that your user lacks to write them.",
            "",
            "Can be run again, and by several at once. If your user may not create tables, hand the output of --dry-run and of"
                    + " 'dibs schema DIALECT --grant-to USER' to"
                    + " a user that may.",
            ""
        })
public final class InitCommand extends DatabaseVerb {

    @Mixin
    private final CapabilityOption only = new CapabilityOption();

    @Option(names = "--dry-run", description = "Only print the statements that would be sent.")
    private boolean isDry;

    @Override
    protected DatabaseFailureException clearer(Session session, DatabaseFailureException failure) {
        return failure;
    }

    @Override
    protected int run(Session session) {
        Capability[] wanted = only.chosen().length == 0 ? Capability.values() : only.chosen();
        List<String> missing = session.ask(() -> session.dibs().admin().missingSchema(only.chosen()));
        if (isDry) {
            missing.forEach(statement -> out().println(statement + ";\n"));
            return ExitCode.OK;
        }
        if (!missing.isEmpty()) {
            session.dibs().admin().createSchema(only.chosen());
            session.dibs().admin().checkSchema(wanted);
            out().println("The tables are made.");
            return ExitCode.OK;
        }
        session.dibs().admin().checkSchema(wanted);
        out().println("The tables are there already.");
        session.ask(session.dibs().admin()::doctor).stream()
                .filter(finding -> finding.subject().equals("rights") && finding.level() == Finding.Level.ERROR)
                .forEach(finding ->
                        warn("this user may not write them all: " + finding.message() + ". " + finding.remedy()));
        return ExitCode.OK;
    }
}
