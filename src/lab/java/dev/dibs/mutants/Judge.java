package dev.dibs.mutants;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs the tests against mutants, in one process. */
record Judge(Worker worker, TestOrder order) implements AutoCloseable {

    static final String RED = "RED";
    static final String GREEN = "GREEN";

    /** The result for a mutant: {@code RED test: why} or {@code GREEN n}. */
    String judge(Mutant mutant) throws IOException, InterruptedException {
        List<String> left = new ArrayList<>(order.of(mutant));
        while (true) {
            Worker.Outcome outcome = outcome(mutant, left);
            if (outcome.isGreen()) {
                return GREEN + " " + order.of(mutant).size();
            }
            if (isGreenWithout(outcome.red())) {
                order.killed(mutant.file(), mutant.statement(), mutant.change(), outcome.red());
                return RED + " " + outcome.red() + ": " + outcome.why();
            }
            left = left.subList(left.indexOf(outcome.red()) + 1, left.size());
            if (left.isEmpty()) {
                return GREEN + " " + order.of(mutant).size();
            }
        }
    }

    private Worker.Outcome outcome(Mutant mutant, List<String> tests) throws IOException, InterruptedException {
        try (Overlay.Wrong ignored = worker.overlay.with(mutant)) {
            return worker.run(tests, order::took);
        }
    }

    /**
     * Whether the mutant made the test red. A test that is also red with the right statement is run once more in a new process, with a new
     * database: leftovers of a mutant are no fault of the test. Its first red result is then repeated there, too, when its turn comes.
     */
    boolean isGreenWithout(String test) throws InterruptedException {
        for (int attempt = 0; attempt < 2; attempt++) {
            Worker.Outcome outcome = worker.run(List.of(test), order::took);
            if (outcome.isGreen()) {
                return true;
            }
            System.out.println("red without a mutant: " + test + ": " + outcome.why());
            worker.close();
        }
        order.mistrust(test);
        return false;
    }

    @Override
    public void close() {
        worker.close();
    }
}
