package dev.dibs.cli.verb;

import dev.dibs.text.KnownSecrets;
import java.io.InputStream;
import java.util.Map;

/** What a verb knows of the command line that it is part of. */
public interface Invocation {

    Map<String, String> environment();

    /** The standard input. */
    InputStream input();

    /** The passwords that must not be printed. */
    KnownSecrets secrets();

    /** The class that starts the command, for a verb that needs a second process. */
    Class<?> program();
}
