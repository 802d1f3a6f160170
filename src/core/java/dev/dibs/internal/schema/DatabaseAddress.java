package dev.dibs.internal.schema;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes the database of a connection for people. */
public final class DatabaseAddress {

    private static final Pattern SCHEME_OR_SETTINGS = Pattern.compile("^jdbc:|[?;].*", Pattern.DOTALL);

    /** A user and a password between the scheme and the host. */
    private static final Pattern USER = Pattern.compile("^(\\w+):.*@(?://)?", Pattern.DOTALL);

    private DatabaseAddress() {}

    static String of(Connection connection) throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        return of(meta.getURL(), connection.getCatalog(), meta.getDatabaseProductName());
    }

    /** On SQL Server the name of the database is a property of the URL, so it is added where the address lacks it. */
    static String of(@Nullable String url, @Nullable String catalog, String product) {
        if (url == null) {
            return catalog == null ? product : product + " " + catalog;
        }
        String address =
                USER.matcher(SCHEME_OR_SETTINGS.matcher(url).replaceAll("")).replaceFirst("$1://");
        boolean named = catalog == null
                || catalog.isEmpty()
                || address.toLowerCase(Locale.ROOT).contains(catalog.toLowerCase(Locale.ROOT));
        return named ? address : address + " " + catalog;
    }
}
