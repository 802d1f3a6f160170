package dev.dibs.demo;

import java.io.Console;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The output.
 *
 * @param live whether it is a terminal, where lines can be redrawn
 * @param width the number of characters in a line
 */
record Terminal(boolean live, int width) {

    private static final int USUAL_WIDTH = 80;
    private static final Pattern SIZE = Pattern.compile("\\d+ ([1-9]\\d{1,3})\\s*");

    static Terminal detect() {
        boolean live = isTerminal() && !"dumb".equals(System.getenv("TERM"));
        return new Terminal(live, live ? askForWidth() : USUAL_WIDTH);
    }

    String cut(String line) {
        return line.length() < width ? line : line.substring(0, width - 1);
    }

    /** Since Java 22 there is a console even without a terminal, and it has a method that distinguishes them. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static int askForWidth() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(Redirect.INHERIT)
                    .start();
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            Matcher size = SIZE.matcher(said);
            return size.matches() ? Integer.parseInt(size.group(1)) : USUAL_WIDTH;
        } catch (IOException e) {
            return USUAL_WIDTH;
        }
    }
}
