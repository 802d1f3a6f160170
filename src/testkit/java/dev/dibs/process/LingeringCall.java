package dev.dibs.process;

import dev.dibs.LeaseLostException;

/** What the main method of an application does in a process of its own: a call that lingers in the middle. */
public final class LingeringCall {

    /** A call of the application, under a lease. */
    @FunctionalInterface
    public interface Call {
        void run(Middle middle) throws Exception;
    }

    /** For the application to reach in the middle of the call. */
    @FunctionalInterface
    public interface Middle {
        void reached() throws Exception;
    }

    private LingeringCall() {}

    /** Prints INSIDE in the middle, waits there for a line of input, and prints DONE after the call. */
    public static void run(Call call) throws Exception {
        boolean done = false;
        while (!done) {
            try {
                call.run(() -> {
                    System.out.println("INSIDE");
                    int unused = System.in.read();
                });
                System.out.println("DONE");
                done = true;
            } catch (LeaseLostException e) {
                System.out.println("LOST, since this process stood still");
            }
        }
    }
}
