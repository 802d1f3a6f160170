package dev.dibs.process;

import dev.dibs.LeaseLostException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** What the main method of an application does in a process of its own: one call after another, each of which lingers in the middle. */
public final class LingeringCalls {

    /** A call of the application, under a lease. */
    @FunctionalInterface
    public interface Call {
        void run(Middle middle) throws Exception;
    }

    /** For the application to reach in the middle of a call. */
    @FunctionalInterface
    public interface Middle {
        void reached() throws Exception;
    }

    private LingeringCalls() {}

    /**
     * Prints INSIDE in each call and DONE after it, until the process ends. Between two calls it rests for as long as a call lingers: a lock
     * that is not fair promises nothing to those who wait beside a holder that never does.
     *
     * @param lingering for how long each call lingers, in milliseconds; 0: until a line of input comes
     */
    public static void run(long lingering, Call call) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (true) {
            try {
                call.run(() -> {
                    System.out.println("INSIDE");
                    if (lingering == 0) {
                        input.readLine();
                    } else {
                        Thread.sleep(lingering);
                    }
                });
                System.out.println("DONE");
            } catch (LeaseLostException e) {
                System.out.println("LOST, since this process stood still");
            }
            Thread.sleep(lingering);
        }
    }
}
