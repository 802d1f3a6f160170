/** Dibs in web applications: a filter and a listener, and the console. */
module dev.dibs.web {
    requires transitive dev.dibs;
    requires static org.jspecify;

    // A web application has it from its container.
    requires static jakarta.servlet;
    requires static java.naming;

    // JSON, if the application has it.
    requires static com.google.gson;

    // The templates of the console become Java that does not need it.
    requires static io.jstach.jstache;

    exports dev.dibs.console;
    exports dev.dibs.servlet;
}
