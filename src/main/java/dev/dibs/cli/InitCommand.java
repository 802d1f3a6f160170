package dev.dibs.cli;

import dev.dibs.DibsException;
import picocli.CommandLine.Command;

/** Makes the tables. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Makes the tables that are missing.",
            "",
            "Can be run again, and by several at once. If your user may not make tables, hand the output of"
                    + " 'dibs schema DIALECT --grant-to USER' to"
                    + " somebody who may.",
            ""
        })
final class InitCommand extends DatabaseVerb {

    @Override
    int run(Session session) {
        boolean there = isThere(session);
        if (!there) {
            session.dibs().createSchema();
            session.dibs().checkSchema();
        }
        out().println(there ? "The tables are there already." : "The tables are made.");
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
