package dev.dibs.cli.terminal;

import java.io.PrintWriter;
import java.util.List;

/** Lines on a terminal that are drawn again in the same place. */
public final class LiveOutput {

    /** The terminal cuts off long lines, so that the number of lines is known when the cursor goes back up. */
    private static final String NO_WRAP = "\u001b[?7l";

    private static final String WRAP = "\u001b[?7h";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final PrintWriter out;
    private int drawn;

    public LiveOutput(PrintWriter out) {
        this.out = out;
    }

    public void draw(List<String> lines) {
        out.print((drawn == 0 ? "" : "\u001b[" + drawn + "A" + CLEAR_BELOW) + NO_WRAP);
        lines.forEach(out::println);
        out.print(WRAP);
        out.flush();
        drawn = lines.size();
    }
}
