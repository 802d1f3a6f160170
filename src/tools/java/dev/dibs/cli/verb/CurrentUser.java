package dev.dibs.cli.verb;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** The user of the command, as far as the machine knows. */
public final class CurrentUser {

    private static final int LONGEST = 100;

    private CurrentUser() {}

    /** For example ann@web1. */
    public static Optional<String> here() {
        String user = System.getProperty("user.name", "");
        if (user.isBlank() || user.equals("?")) {
            return Optional.empty();
        }
        try {
            return Optional.of(cut(user) + "@" + cut(InetAddress.getLocalHost().getHostName()));
        } catch (UnknownHostException e) {
            return Optional.of(cut(user));
        }
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST - 1));
    }
}
