package dev.dibs.mutants;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Shows mutants to the tests, in one process. */
final class Judge implements AutoCloseable {

    static final String RED = "RED";
    static final String GREEN = "GREEN";

    private final Worker worker;
    private final TestOrder order;

    Judge(Worker worker, TestOrder order) {
        this.worker = worker;
        this.order = order;
    }

    /** What came of a mutant: {@code RED test: why} or {@code GREEN n}. */
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
     * Whether it was the mutant. A test that is red with the right statement is asked once more in a new process, with a new database:
     * what a mutant has left behind is no fault of the test. Its own red is then repeated there, too, when it comes next.
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
