package dev.dibs;

import dev.dibs.internal.schema.Rights;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.Statements;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The statements for one kind of database. Dibs finds the dialect itself from the product name that the database reports. Choose
 * one yourself only for a relative of a known database, or for a dialect of your own.
 */
public final class Dialect {

    static final String DEFAULT_PREFIX = "dibs_";

    private final DialectFolder folder;

    /** Product and version by which the dialect was found; null if the user has named it. */
    private final @Nullable String product;

    private Dialect(DialectFolder folder, @Nullable String product) {
        this.folder = folder;
        this.product = product;
    }

    /**
     * A dialect of the library. With a named dialect the start does not refuse an engine that is known to differ: it logs a warning.
     *
     * @throws IllegalArgumentException if there is none with this name; the message lists them
     */
    public static Dialect named(String name) {
        return new Dialect(DialectFolder.named(name), null);
    }

    /**
     * A dialect of your own. Its folder has a {@code dialect.sql}. It may also have {@code errors.properties}, {@code
     * features.properties}, {@code schema.sql}, {@code leases.sql} and so on, where they must differ from the standard ones.
     *
     * @throws IllegalArgumentException if the folder is no such dialect
     */
    public static Dialect at(Path folder) {
        return new Dialect(DialectFolder.at(folder), null);
    }

    /** The dialect for the database behind a data source. */
    static Dialect detect(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData database = connection.getMetaData();
            return new Dialect(Products.detect(database), Products.reported(database));
        } catch (SQLException e) {
            String remedy = SqlErrors.remedyOfAnyDialect(e);
            throw new DatabaseFailureException(
                    "the database could not be reached: " + Secrets.maskedToTheRoot(e) + ". "
                            + (remedy == null
                                    ? "Check that it runs and that its address, the user and the password are right"
                                    : remedy),
                    e);
        } catch (IllegalArgumentException e) {
            throw new DatabaseFailureException(e.getMessage(), e);
        }
    }

    /** The names of the library's dialects. */
    public static Set<String> names() {
        return Products.dialects();
    }

    /** The dialect's name. */
    public String name() {
        return folder.name();
    }

    /** The statements that create the tables {@code dibs_..}. A semicolon ends each. */
    public String ddl() {
        return ddl(DEFAULT_PREFIX);
    }

    /**
     * The statements that create the tables.
     *
     * @param prefix the beginning of every table's name, such as {@code dibs_}, {@code myschema.dibs_} or
     *     {@code "My schema".dibs_}
     * @param only the capabilities whose tables are wanted, with the tables that these need; none named: all tables
     */
    public String ddl(String prefix, Capability... only) {
        return statements(prefix).ddl(Schema.names(only));
    }

    /**
     * The statements that give a database user the rights on the tables. The owner of the tables runs them. Nothing more is needed.
     *
     * @param prefix the beginning of every table's name, as in {@link #ddl(String, Capability...)}
     * @param role the user, written as the database wants it: {@code app}, or {@code 'app'@'%'}
     * @param only the capabilities that the user works with; none named: all
     * @throws IllegalArgumentException if the role holds a semicolon or a line break
     */
    public String grants(String prefix, String role, Capability... only) {
        if (role.isBlank() || role.indexOf(';') >= 0 || role.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "a user to grant to must not be empty nor hold a semicolon or a line break");
        }
        return Rights.grants(statements(prefix), role, Schema.names(only));
    }

    Statements statements(String prefix) {
        return Statements.load(folder, prefix);
    }

    @Nullable
    String product() {
        return product;
    }

    @Override
    public String toString() {
        return name();
    }
}
