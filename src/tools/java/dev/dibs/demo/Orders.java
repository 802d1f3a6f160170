package dev.dibs.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** The demo's orders to a worker, on its standard input. When the input ends, the demo has ended, and the worker ends, too. */
final class Orders {

    /** Stay with the current file, or the next one. */
    static final String LINGER = "linger";
    /** Go on. */
    static final String GO_ON = "go on";

    private static final int ORPHANED = 3;

    private volatile boolean lingering;

    static Orders from(InputStream in) {
        Orders orders = new Orders();
        Thread listener = new Thread(() -> orders.listen(in), "orders");
        listener.setDaemon(true);
        listener.start();
        return orders;
    }

    boolean lingering() {
        return lingering;
    }

    private void listen(InputStream in) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                lingering = line.equals(LINGER);
            }
        } catch (IOException e) {
            // Counts as the end of the input.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }
}
