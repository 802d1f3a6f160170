/** Lets processes coordinate through the relational database that they already share. */
module dev.dibs {
    requires transitive java.sql;
    requires java.management;
    requires static org.jspecify;

    // For dev.dibs.servlet and dev.dibs.console; a web application has it from its container. None of these is
    // transitive: whoever
    // compiles a module that requires this one would need all of them.
    requires static jakarta.servlet;
    requires static java.naming;
    requires static micrometer.core;
    requires static micrometer.registry.prometheus;

    // The templates of the console become Java that does not need it.
    requires static io.jstach.jstache;

    // For cron expressions alone; an application that uses them brings it along.
    requires static com.cronutils;

    // For LISTEN alone; an application that uses it has the driver anyway.
    requires static org.postgresql.jdbc;

    // For JSON from the console, the command and the demo; the latter two are not in the library's jar and run from the
    // class path.
    requires static com.google.gson;

    // For the command and the demo alone, which are not in the library's jar and run from the class path.
    requires static com.zaxxer.hikari;
    requires static info.picocli;

    exports dev.dibs;
    exports dev.dibs.console;
    exports dev.dibs.rows;
    exports dev.dibs.servlet;
    exports dev.dibs.token;
}
