package dev.dibs.cli.admin;

import dev.dibs.Dialect;
import dev.dibs.cli.database.TableOptions;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import java.util.Iterator;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the statements that create the tables. */
@Command(
        name = "schema",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Prints the statements that create the tables, or some of them; needs no database.", ""})
public final class SchemaCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "DIALECT",
            completionCandidates = Dialects.class,
            description = "One of ${COMPLETION-CANDIDATES}.")
    private String dialect;

    @Option(
            names = "--grant-to",
            paramLabel = "USER",
            description =
                    "Also print the statements that let this user of the database work with the tables, written as the"
                            + " database wants it: app, or 'app'@'%%'.")
    private @Nullable String role;

    @Mixin
    private final CapabilityOption only = new CapabilityOption();

    @Mixin
    private final TableOptions tables = new TableOptions();

    /** For the help text. */
    static final class Dialects implements Iterable<String> {

        @Override
        public Iterator<String> iterator() {
            return Dialect.names().iterator();
        }
    }

    @Override
    public Integer call() {
        Dialect chosen = Dialect.named(dialect);
        String text = chosen.ddl(tables.fullPrefix(), only.chosen()).strip();
        if (role != null) {
            text += "\n\n"
                    + chosen.grants(tables.fullPrefix(), role, only.chosen()).strip();
        }
        spec.commandLine().getOut().println(text);
        return ExitCode.OK;
    }
}
