/** Lets processes coordinate through the relational database that they already share. */
module dev.dibs {
    requires transitive java.sql;
    requires java.management;
    requires static org.jspecify;

    // For cron expressions alone; an application that uses them brings it along. Not transitive: whoever compiles a
    // module that requires this one would need it.
    requires static com.cronutils;

    // For LISTEN alone; an application that uses it has the driver anyway.
    requires static org.postgresql.jdbc;

    exports dev.dibs;
    exports dev.dibs.claims;
    exports dev.dibs.once;
    exports dev.dibs.runs;
    exports dev.dibs.tokens;

    // Not for others: they change without notice.
    exports dev.dibs.internal.sql to
            dev.dibs.web;
    exports dev.dibs.internal.values to
            dev.dibs.web;
}
