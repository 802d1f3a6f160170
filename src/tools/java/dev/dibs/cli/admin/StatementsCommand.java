package dev.dibs.cli.admin;

import dev.dibs.cli.database.DialectOption;
import dev.dibs.cli.database.TableOptions;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the statements as they are sent, for a program in another language or an administrator of the database. */
@Command(
        name = "statements",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Prints the statements as they are sent, all fragments expanded; needs no database.",
            "With --claims those that claim rows of a table of your own: --key id:bigint gives a column and its type.",
            ""
        })
public final class StatementsCommand implements Callable<Integer> {

    private static final String TABLE = "create_";

    /** The output format. */
    enum Format {
        SQL,
        JSON
    }

    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "DIALECT",
            completionCandidates = SchemaCommand.Dialects.class,
            description = "One of ${COMPLETION-CANDIDATES}, or a folder of your own, with a slash in it.")
    private String dialect;

    @Parameters(index = "1..*", paramLabel = "NAME", arity = "0..*", description = "Only these. Default: all.")
    private final List<String> names = new ArrayList<>();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "sql",
            description = "sql or json. Default: ${DEFAULT-VALUE}")
    private Format format = Format.SQL;

    @Option(
            names = "--style",
            paramLabel = "STYLE",
            defaultValue = "named",
            description = "How parameters are written: named (:x), dollar ($1), question (?), at (@p_x) or pyformat"
                    + " (%%(x)s). Default: ${DEFAULT-VALUE}")
    private Placeholders style = Placeholders.NAMED;

    @Option(names = "--tables", description = "Also the statements that create the tables.")
    private boolean withTables;

    @Mixin
    private final TableOptions tables = new TableOptions();

    @Mixin
    private final ClaimOptions claims = new ClaimOptions();

    @Option(names = "--complete-set", paramLabel = "SQL", description = "The assignments of a completion.")
    private @Nullable String completeSet;

    @Option(names = "--complete-delete", description = "Completing a claimed row deletes it.")
    private boolean completeDelete;

    @Override
    public Integer call() {
        DialectFolder folder = DialectOption.folder(dialect);
        List<StatementText> all = all(folder);
        List<StatementText> wanted = names.isEmpty()
                ? all.stream()
                        .filter(text -> withTables || !text.name().startsWith(TABLE))
                        .toList()
                : names.stream().map(name -> named(name, all)).toList();
        String text = format == Format.JSON
                ? StatementsJson.of(folder.name(), tables.fullPrefix(), style, wanted)
                : StatementsSql.of(wanted);
        spec.commandLine().getOut().println(text);
        return ExitCode.OK;
    }

    private List<StatementText> all(DialectFolder folder) {
        if (claims.given()) {
            return claims.texts(completeSet, completeDelete).in(folder, tables.fullPrefix(), style);
        }
        if (claims.orphaned() || completeSet != null || completeDelete) {
            throw new UsageError("options of claims need --claims TABLE");
        }
        return StatementTexts.of(folder, tables.fullPrefix(), style);
    }

    private StatementText named(String name, List<StatementText> all) {
        return all.stream()
                .filter(text -> text.name().equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new UsageError("there is no statement '" + name + "' in " + dialect
                        + "; 'dibs statements " + dialect + "' prints all of them"));
    }
}
