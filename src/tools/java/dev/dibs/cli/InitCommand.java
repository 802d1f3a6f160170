package dev.dibs.cli;

import dev.dibs.DibsException;
import dev.dibs.Finding;
import picocli.CommandLine.Command;

/** Makes the tables. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Makes the tables that are missing. Where none is, it tells which rights your user lacks to write them.",
            "",
            "Can be run again, and by several at once. If your user may not make tables, hand the output of"
                    + " 'dibs schema DIALECT --grant-to USER' to"
                    + " somebody who may.",
            ""
        })
final class InitCommand extends DatabaseVerb {

    @Override
    DibsException clearer(Session session, DibsException failure) {
        return failure;
    }

    @Override
    int run(Session session) {
        if (!isThere(session)) {
            session.dibs().createSchema();
            session.dibs().checkSchema();
            out().println("The tables are made.");
            return ExitCode.OK;
        }
        out().println("The tables are there already.");
        session.ask(session.dibs()::doctor).stream()
                .filter(finding -> finding.subject().equals("rights") && finding.level() == Finding.Level.ERROR)
                .forEach(finding ->
                        warn("this user may not write them all: " + finding.message() + ". " + finding.remedy()));
        return ExitCode.OK;
    }

    private static boolean isThere(Session session) {
        try {
            session.dibs().checkSchema();
            return true;
        } catch (DibsException e) {
            return false;
        }
    }
}
