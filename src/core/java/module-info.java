/** Lets processes coordinate through the relational database that they already share. */
module dev.dibs {
    requires transitive java.sql;
    requires java.management;
    requires static org.jspecify;

    // For cron expressions only; an application that uses them adds it itself. It is not transitive: otherwise every
    // module that
    // requires this one would need it to compile.
    requires static com.cronutils;

    // For LISTEN only; an application that uses it has the driver anyway.
    requires static org.postgresql.jdbc;

    exports dev.dibs;
    exports dev.dibs.claims;
    exports dev.dibs.once;
    exports dev.dibs.runs;
    exports dev.dibs.tokens;

    // For Dibs' own modules only: these packages change without notice.
    exports dev.dibs.internal.sql.errors to
            dev.dibs.web;
    exports dev.dibs.internal.values to
            dev.dibs.web;
}
