package dev.dibs.cli.database;

import dev.dibs.cli.terminal.Terminal;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.text.KnownSecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The database and its user: options first, then variables, then the embedded database. */
public final class ConnectionOptions {

    public static final String URL = "DIBS_URL";
    static final String USER = "DIBS_USER";
    public static final String PASSWORD = "DIBS_PASSWORD";
    static final String PASSWORD_FILE = "DIBS_PASSWORD_FILE";
    static final String DRIVER = "DIBS_DRIVER";

    /** No argument of a process can contain it. */
    private static final String ASK = "\0";

    @Option(
            names = "--url",
            order = 1,
            paramLabel = "URL",
            description = "JDBC url of the database. Default: DIBS_URL, else a database in ~/.dibs.")
    private @Nullable String url;

    @Option(names = "--user", order = 2, paramLabel = "USER", description = "User of the database. Default: DIBS_USER.")
    private @Nullable String user;

    @Option(
            names = "--password",
            order = 3,
            paramLabel = "PASSWORD",
            arity = "0..1",
            fallbackValue = ASK,
            description =
                    "Password. Default: DIBS_PASSWORD, or the content of the file DIBS_PASSWORD_FILE. As the last option and without a value: you are asked for it."
                            + " A value on the command line is seen by all users of this machine.")
    private @Nullable String password;

    @Option(
            names = "--driver",
            order = 7,
            paramLabel = "JAR",
            description = "Jar with the JDBC driver, or several, separated as in a class path, if the driver is not one"
                    + " that comes with dibs. Default: DIBS_DRIVER.")
    private @Nullable String driver;

    /** Fills in missing options, and asks for the password if wanted. */
    Target target(Map<String, String> environment, KnownSecrets secrets) {
        String theUrl = given(url, environment.get(URL));
        String theUser = given(user, environment.get(USER));
        String thePassword = given(password, password(environment));
        if (theUrl == null) {
            if (theUser != null || thePassword != null) {
                throw new UsageError("there is a user or a password but no database: add --url or set " + URL);
            }
            return EmbeddedDatabase.target(environment);
        }
        if (!theUrl.startsWith("jdbc:")) {
            throw new UsageError("a url begins with jdbc:, as in jdbc:postgresql://host/database; this one does not: "
                    + Secrets.maskUrl(theUrl));
        }
        if (ASK.equals(thePassword)) {
            thePassword = ask(theUser);
        }
        secrets.learn(theUrl, thePassword);
        return new Target(theUrl, theUser, thePassword, given(driver, environment.get(DRIVER)), null);
    }

    /** An empty variable counts as missing; an empty option does not. */
    private static @Nullable String given(@Nullable String option, @Nullable String variable) {
        return option != null || variable == null || variable.isEmpty() ? option : variable;
    }

    private static @Nullable String password(Map<String, String> environment) {
        String value = environment.get(PASSWORD);
        String file = environment.get(PASSWORD_FILE);
        if (file == null || file.isEmpty() || (value != null && !value.isEmpty())) {
            return value;
        }
        try {
            // An editor ends the file with a newline.
            return Files.readString(Path.of(file)).replaceFirst("\\R\\z", "");
        } catch (IOException | InvalidPathException e) {
            throw new UsageError("the file '" + file + "', which " + PASSWORD_FILE + " names, cannot be read: " + e);
        }
    }

    private static String ask(@Nullable String user) {
        String prompt = "Password" + (user == null ? "" : " of " + user) + ": ";
        return Terminal.console()
                .map(console -> console.readPassword("%s", prompt))
                .map(String::new)
                .orElseThrow(() -> new UsageError(
                        "there is no terminal on which to ask for the password; set " + PASSWORD + " instead"));
    }
}
