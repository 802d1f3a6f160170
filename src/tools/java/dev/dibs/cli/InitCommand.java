package dev.dibs.cli;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Creates the tables. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Creates the missing tables, or with --only those of some capabilities: to use locks, the table of locks is enough."
                    + " If none is missing, it prints the rights that your user lacks to write them.",
            "",
            "Can be run again, and by several at once. If your user may not create tables, hand the output of"
                    + " 'dibs schema DIALECT --grant-to USER' to"
                    + " a user that may.",
            ""
        })
final class InitCommand extends DatabaseVerb {

    @Mixin
    private final CapabilityOption only = new CapabilityOption();

    @Override
    DatabaseFailureException clearer(Session session, DatabaseFailureException failure) {
        return failure;
    }

    @Override
    int run(Session session) {
        Capability[] wanted = only.chosen().length == 0 ? Capability.values() : only.chosen();
        if (!isThere(session, wanted)) {
            session.dibs().admin().createSchema(only.chosen());
            session.dibs().admin().checkSchema(wanted);
            out().println("The tables are made.");
            return ExitCode.OK;
        }
        out().println("The tables are there already.");
        session.ask(session.dibs().admin()::doctor).stream()
                .filter(finding -> finding.subject().equals("rights") && finding.level() == Finding.Level.ERROR)
                .forEach(finding ->
                        warn("this user may not write them all: " + finding.message() + ". " + finding.remedy()));
        return ExitCode.OK;
    }

    private static boolean isThere(Session session, Capability... wanted) {
        try {
            session.dibs().admin().checkSchema(wanted);
            return true;
        } catch (DatabaseFailureException e) {
            return false;
        }
    }
}
