package dev.dibs.cli.database;

import dev.dibs.DibsBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The names of the tables. */
public final class TableOptions {

    @Option(
            names = "--schema",
            order = 4,
            paramLabel = "SCHEMA",
            description =
                    "Schema that the tables are in, plain or in quotes. Default: DIBS_SCHEMA, else the connection's.")
    private @Nullable String schema;

    @Option(
            names = "--prefix",
            order = 5,
            paramLabel = "PREFIX",
            defaultValue = "dibs_",
            description = "The beginning of the tables' names. Default: DIBS_PREFIX, else dibs_.")
    private String prefix = "";

    /** The prefix of every table name, with the schema. */
    public String fullPrefix() {
        return schema == null ? prefix : schema + "." + prefix;
    }

    void applyTo(DibsBuilder builder) {
        builder.tablePrefix(prefix);
        if (schema != null) {
            builder.schema(schema);
        }
    }
}
