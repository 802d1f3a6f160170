package dev.dibs.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Makes all mutants of one database and runs the contracts that should notice them. The results are added to {@code
 * target/mutants/<database>.tsv} as they come. A run that is started again continues from there, and repeats the mutants that no test
 * noticed.
 */
public final class MutantsMain {

    private final Path project;
    private final String database;
    private final Path home;
    private final Properties equivalent = new Properties();
    private final TestOrder order;
    private final Results results;
    /** How long tests take without a mutant, on any database. */
    private final Results millis;

    private MutantsMain(Path project, String database) throws IOException {
        if (!Subjects.DATABASES.contains(database)) {
            throw new IllegalArgumentException("-Dmutants.database=" + database + " is none of " + Subjects.DATABASES);
        }
        this.project = project;
        this.database = database;
        home = Files.createDirectories(project.resolve("target/mutants"));
        order = new TestOrder();
        results = new Results(home.resolve(database + ".tsv"));
        millis = new Results(home.resolve("millis.tsv"));
        try (var in = Files.newBufferedReader(project.resolve("src/lab/java/dev/dibs/mutants/equivalent.properties"))) {
            equivalent.load(in);
        }
    }

    /** Arguments: the project's folder, the database, how many at a time, a part of the mutants' names or nothing. */
    public static void main(String[] args) throws Exception {
        MutantsMain main = new MutantsMain(Path.of(args[0]), args[1]);
        List<Mutant> alive = main.run(Integer.parseInt(args[2]), args.length > 3 ? args[3].strip() : "");
        if (!alive.isEmpty()) {
            System.out.println(alive.size() + " not noticed:");
            alive.forEach(System.out::println);
        }
        System.exit(alive.isEmpty() ? 0 : 1);
    }

    private List<Mutant> run(int parallel, String only) throws Exception {
        Map<String, List<Mutant>> all =
                new Subjects(project, home.resolve(database).resolve("loaded")).all(TestOrder.files());
        all.forEach((whose, mutants) -> System.out.println(whose + ": " + mutants.size() + " mutants"));
        Subjects.ofNobody(all).forEach(mutant -> System.out.println("used by none of these databases: " + mutant));
        List<Mutant> mine = all.getOrDefault(database, List.of()).stream()
                .filter(mutant -> mutant.toString().contains(only))
                .toList();
        ExecutorService threads = Executors.newFixedThreadPool(parallel);
        List<Judge> judges = new ArrayList<>();
        for (int i = 0; i < parallel; i++) {
            judges.add(new Judge(
                    new Worker(database, new Overlay(home.resolve(database).resolve("process-" + i))), order));
        }
        try {
            learn();
            each(threads, judges, new ConcurrentLinkedQueue<>(toDo(mine)));
            System.out.println("red without a mutant, and not counted: " + order.mistrusted());
        } finally {
            judges.forEach(Judge::close);
            threads.shutdown();
        }
        new Tally(all.getOrDefault(database, List.of()), this::fate)
                .lines(database)
                .forEach(System.out::println);
        return mine.stream()
                .filter(mutant -> fate(mutant) == Tally.Fate.NOT_NOTICED)
                .toList();
    }

    private Tally.Fate fate(Mutant mutant) {
        String verdict = results.get(mutant.toString());
        if (verdict.startsWith(Judge.RED)) {
            return Tally.Fate.KILLED;
        }
        if (equivalent.containsKey(mutant.key())) {
            return Tally.Fate.EQUIVALENT;
        }
        if (verdict.isEmpty()) {
            return Tally.Fate.NO_TURN;
        }
        return isSaidAgain(mutant) ? Tally.Fate.SAID_AGAIN : Tally.Fate.NOT_NOTICED;
    }

    /** Whether the same condition in another place keeps the promise: if it is dropped in all of them, a test notices. */
    private boolean isSaidAgain(Mutant mutant) {
        return !mutant.together().isEmpty()
                && results.get(mutant.toString()).startsWith(Judge.GREEN)
                && results.get(mutant.nameOfAll()).startsWith(Judge.RED);
    }

    private void each(ExecutorService threads, List<Judge> judges, Queue<Mutant> mutants) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (Judge judge : judges) {
            running.add(threads.submit(() -> {
                for (Mutant next = mutants.poll(); next != null; next = mutants.poll()) {
                    if (!isSaidAgain(next)) {
                        judge(judge, next);
                    }
                }
                return null;
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    /** The results of earlier runs, on any database. */
    private void learn() throws IOException {
        millis.all().forEach((test, time) -> order.took(test, Long.parseLong(time)));
        for (String other : Subjects.DATABASES) {
            new Results(home.resolve(other + ".tsv")).all().forEach((mutant, verdict) -> {
                if (verdict.startsWith(Judge.RED)) {
                    String[] name = mutant.split(":? ", 3);
                    order.killed(
                            name[0],
                            name[1],
                            name[2],
                            verdict.substring(Judge.RED.length() + 1).replaceAll(":.*", ""));
                }
            });
        }
    }

    private List<Mutant> toDo(List<Mutant> mutants) {
        return mutants.stream()
                .filter(mutant -> !results.get(mutant.toString()).startsWith(Judge.RED))
                .sorted(Comparator.comparing(mutant -> results.get(mutant.toString())))
                .toList();
    }

    private void judge(Judge judge, Mutant mutant) throws IOException, InterruptedException {
        long began = System.nanoTime();
        String why = equivalent.getProperty(mutant.key());
        String verdict = why == null ? judge.judge(mutant) : "equivalent: " + why;
        long seconds = (System.nanoTime() - began) / 1_000_000_000;
        System.out.println(mutant + " -> " + verdict + ", " + seconds + " s");
        order.times().forEach((test, time) -> {
            if (millis.get(test).isEmpty()) {
                millis.put(test, time.toString());
            }
        });
        results.put(mutant.toString(), verdict.replace('\t', ' ') + " (" + seconds + " s)");
    }
}
