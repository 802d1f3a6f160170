package dev.dibs;

import dev.dibs.internal.schema.CapabilityNames;
import dev.dibs.internal.schema.Rights;
import dev.dibs.internal.sql.DialectFolder;
import dev.dibs.internal.sql.Products;
import dev.dibs.internal.sql.Secrets;
import dev.dibs.internal.sql.Statements;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The statements for one kind of database. Found by itself from what the database says that it is; to be chosen by hand only
 * for a relative of one of them, or for one of your own.
 */
public final class Dialect {

    static final String DEFAULT_PREFIX = "dibs_";

    private final DialectFolder folder;

    private Dialect(DialectFolder folder) {
        this.folder = folder;
    }

    /**
     * A dialect that comes with the library.
     *
     * @throws IllegalArgumentException if there is none of that name; the message lists them
     */
    public static Dialect named(String name) {
        return new Dialect(DialectFolder.named(name));
    }

    /**
     * A dialect of your own: a folder with a {@code dialect.sql} and those of the files {@code errors.properties},
     * {@code features.properties}, {@code schema.sql}, {@code leases.sql} and so on that must differ from the standard ones.
     *
     * @throws IllegalArgumentException if it is not such a folder
     */
    public static Dialect at(Path folder) {
        return new Dialect(DialectFolder.at(folder));
    }

    /** What the database behind a data source is. */
    static Dialect detect(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return Dialect.of(Products.detect(connection.getMetaData()));
        } catch (SQLException e) {
            throw new DibsException(
                    "the database could not be reached: " + Secrets.maskedToTheRoot(e)
                            + ". See that it runs and that its address, the user and the password are right",
                    e);
        } catch (IllegalArgumentException e) {
            throw new DibsException(e.getMessage(), e);
        }
    }

    /** The names of the dialects that come with the library. */
    public static Set<String> names() {
        return Products.dialects();
    }

    /** The dialect's name. */
    public String name() {
        return folder.name();
    }

    /** The statements that make the tables {@code dibs_..}, each ended by a semicolon. */
    public String ddl() {
        return ddl(DEFAULT_PREFIX);
    }

    /**
     * The statements that make the tables.
     *
     * @param prefix what stands before every table's name, such as {@code dibs_} or {@code myschema.dibs_}
     * @param only the capabilities whose tables are wanted, with the tables that these need; none named: all tables
     */
    public String ddl(String prefix, Capability... only) {
        return statements(prefix).ddl(CapabilityNames.of(only));
    }

    /**
     * The statements that let a user of the database work with the tables, for whoever owns them. Nothing more is needed.
     *
     * @param prefix what stands before every table's name, as in {@link #ddl(String, Capability...)}
     * @param role the user, as the database wants it written: {@code app}, or {@code 'app'@'%'}
     * @param only the capabilities that the user works with; none named: all
     * @throws IllegalArgumentException if it holds a semicolon or a line break
     */
    public String grants(String prefix, String role, Capability... only) {
        if (role.isBlank() || role.indexOf(';') >= 0 || role.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "a user to grant to must not be empty nor hold a semicolon or a line break");
        }
        return Rights.grants(statements(prefix), role, CapabilityNames.of(only));
    }

    Statements statements(String prefix) {
        return Statements.load(folder, prefix);
    }

    static Dialect of(DialectFolder folder) {
        return new Dialect(folder);
    }

    @Override
    public String toString() {
        return name();
    }
}
