/** Lets processes coordinate through the relational database that they already share. */
module dev.dibs {
    requires transitive java.sql;
    requires java.management;
    requires static org.jspecify;

    // For dev.dibs.servlet alone; a web application has it from its container.
    requires static transitive jakarta.servlet;
    requires static java.naming;

    // For cron expressions alone; an application that uses them brings it along.
    requires static com.cronutils;

    // For LISTEN alone; an application that uses it has the driver anyway.
    requires static org.postgresql.jdbc;

    // For the command and the demo alone, which are not in the library's jar and run from the class path.
    requires static com.google.gson;
    requires static com.zaxxer.hikari;
    requires static info.picocli;

    exports dev.dibs;
    exports dev.dibs.rows;
    exports dev.dibs.servlet;
    exports dev.dibs.token;
}
