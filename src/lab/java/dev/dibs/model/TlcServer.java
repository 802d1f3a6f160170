package dev.dibs.model;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Runs TLC again and again in one process. TLC keeps its state in static fields, so each run has classes of its own. A line of the input is
 * an order, its parts divided by tabs: the file for TLC's output, then TLC's arguments. A line with {@link #END} answers.
 */
public final class TlcServer {

    static final String END = "@END";

    private TlcServer() {}

    /** Argument: the jar of TLC. */
    public static void main(String[] args) throws Exception {
        URL jar = Path.of(args[0]).toUri().toURL();
        PrintStream answers = System.out;
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            String[] parts = order.split("\t", -1);
            run(jar, parts[0], Arrays.copyOfRange(parts, 1, parts.length));
            answers.println(END);
        }
    }

    private static void run(URL jar, String output, String... arguments) throws IOException {
        PrintStream said = new PrintStream(output, StandardCharsets.UTF_8);
        System.setOut(said);
        System.setErr(said);
        try (said;
                URLClassLoader loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = loader.loadClass("tlc2.TLC");
            Object tlc = type.getConstructor().newInstance();
            boolean understood =
                    (boolean) type.getMethod("handleParameters", String[].class).invoke(tlc, (Object) arguments);
            if (understood) {
                type.getMethod("process").invoke(tlc);
            }
        } catch (ReflectiveOperationException e) {
            e.printStackTrace(said);
        }
    }
}
