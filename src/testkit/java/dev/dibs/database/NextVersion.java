package dev.dibs.database;

import dev.dibs.Dialect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A dialect of a later version, which tests make up: each table has the columns later_text and later_count besides. */
public final class NextVersion {

    private static final Pattern TABLE = Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?\\S*?(\\w+) \\(\n");

    private NextVersion() {}

    /**
     * Writes it.
     *
     * @param folder an empty one
     * @param prefix the full prefix of the tables' names, which are for this prefix alone
     */
    public static Dialect of(Dialect dialect, String prefix, Path folder) throws IOException {
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: base\n" + dialect.name() + "\n");
        StringBuilder tables = new StringBuilder();
        for (String create : dialect.ddl(prefix).strip().split(";\\R", -1)) {
            Matcher table = TABLE.matcher(create);
            if (!table.find()) {
                throw new IllegalArgumentException("no table is created by " + create);
            }
            String name = table.group(1).substring(prefix.length());
            tables.append("-- name: create_")
                    .append(name)
                    .append('\n')
                    .append(table.replaceFirst(
                            "$0    later_text  varchar(20) NULL,\n    later_count bigint DEFAULT 7 NOT NULL,\n"))
                    .append(create.endsWith(";") ? "\n\n" : ";\n\n");
        }
        Files.writeString(folder.resolve("schema.sql"), tables);
        return Dialect.at(folder);
    }
}
