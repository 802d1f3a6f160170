package dev.dibs.mutants;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;

/** The tests that should notice a mutant, the likely and the short ones first. */
final class TestOrder {
    private static final String LEASES =
            "Acquire|LeaseBetweenSteps|OldSnapshot|Snapshot|ClockBack|Partition|Stranger|Fence|Guard|Loss|Hold|TimedLease|Holders|Release|NoWait|Wait|Fault|Event|Tolerance|Process|Race|Cost";

    /** The contracts about the statements of each file; the rest of the suite would notice many mutants, but later. */
    private static final Map<String, String> CONTRACTS = Map.ofEntries(
            Map.entry("leases", LEASES + "|IndexedRow|Fair|Once|Batch|Semaphore|ReadWrite.*|OnceRace"),
            Map.entry(
                    "locks",
                    LEASES
                            + "|TransactionLock.*|AwaitFree|IndexedRow|LockAll.*|ThreadLock|Leadership|UntouchedRow|Retake|Batch"),
            Map.entry("fair", "Fair|LeaseBetweenSteps|Cost"),
            Map.entry("once", "Once|OnceDone|LeaseBetweenSteps|Stranger|Fence|NoWait|OnceRace|Cost"),
            Map.entry("semaphores", "Semaphore.*|Stranger|Fence|NoWait|Holders|Tolerance|Cost"),
            Map.entry("read_write", "ReadWrite.*|Stranger|Holders|NoWait|Tolerance|Cost"),
            Map.entry("tokens", "Token.*|Code|Cost"),
            Map.entry(
                    "claims",
                    "Claim|Isolation|ClaimBetweenSteps|OldSnapshot|StaleClaim|IndexedRow|NoWait|ClaimFault|StatementPlan|ClaimKey|ClaimRace|Run|RunFault|RunLoss|RunRace|CompletionCheck|SilentRefusal|RefusalRace|Cost"),
            Map.entry(
                    "side",
                    "Side.*|ClaimBetweenSteps|OldSnapshot|StaleClaim|NoWait|Claim|ClaimFault|ClaimKey|ClaimRace"),
            Map.entry("per_key", "PerKey.*|KeyGroup|SilentRefusal|RefusalRace"),
            Map.entry("range", "Range.*|ClaimRace|ClaimBetweenSteps|OldSnapshot|StaleClaim|NoWait"),
            Map.entry("runs", "Run.*"));

    /** Longer tests find little that others do not, and lack of processor time makes them red before a mutant does. */
    private static final double LONGEST = 1000 * Double.parseDouble(System.getProperty("mutants.seconds", "8"));

    /** To find those first that are noticed at once. */
    private static final int MOST = Integer.getInteger("mutants.tests", Integer.MAX_VALUE);

    private final Map<String, String> contracts = new TreeMap<>();
    private final Map<String, Long> millis = new ConcurrentHashMap<>();
    private final Set<String> unusable = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<Kill> kills = new ConcurrentLinkedQueue<>();

    private record Kill(String file, String statement, String change, String test) {}

    TestOrder() {
        Contracts.byTest().forEach((test, contract) -> contracts.put(test, contract.getSimpleName()));
    }

    static Set<String> files() {
        return CONTRACTS.keySet();
    }

    /** The names of the contracts about the statements of a file, as patterns, without their ending. */
    static Set<String> contractsOf(String file) {
        return Set.copyOf(List.of(CONTRACTS.get(file).split("\\|", -1)));
    }

    void took(String test, long duration) {
        millis.put(test, duration);
    }

    Map<String, Long> times() {
        return Map.copyOf(millis);
    }

    private boolean isKnown(String test) {
        return millis.containsKey(test);
    }

    /** It was red without any mutant, too. */
    void mistrust(String test) {
        unusable.add(test);
    }

    Set<String> mistrusted() {
        return unusable;
    }

    void killed(String file, String statement, String change, String test) {
        kills.add(new Kill(file, statement, change, test));
    }

    /**
     * Tests that have noticed a mutant of the same statement, new tests, tests that have noticed other mutants, then by time; races come
     * last.
     */
    List<String> of(Mutant mutant) {
        return contracts.keySet().stream()
                .filter(test -> speaksOf(test, mutant.stem()) && !unusable.contains(test))
                .filter(test -> kills(mutant, test) > 0 || isShort(test))
                .sorted(Comparator.comparingInt((String test) -> -kills(mutant, test))
                        .thenComparing(this::isRace)
                        .thenComparingLong(test -> millis.getOrDefault(test, 0L)))
                .limit(MOST)
                .toList();
    }

    /** The contracts for single statements. */
    private static String direct(String change) {
        return switch (change) {
            case "without SKIP LOCKED" -> "(NoWait|ChangedRow|SideStatement|TokenStatement|.*BetweenSteps).*";
            case "fence does not grow" -> "Fence.*";
            default -> "(.*BetweenSteps|OldSnapshot|Stranger|Gate.*|StaleClaim|.*Statement|IndexedRow).*";
        };
    }

    private boolean isShort(String test) {
        return isKnown(test) ? millis.get(test) < LONGEST : !isRace(test);
    }

    private int kills(Mutant mutant, String test) {
        int score = 0;
        if (contracts.get(test).matches(direct(mutant.change()))) {
            score += 60;
        }
        for (Kill kill : kills) {
            if (kill.test().equals(test) && kill.file().endsWith("/" + mutant.stem() + ".sql")) {
                score += kill.statement().equals(mutant.statement())
                        ? 100
                        : kill.change().equals(mutant.change()) ? 20 : 1;
            }
        }
        return score > 0 || isKnown(test) || isRace(test) ? score : 50;
    }

    private boolean isRace(String test) {
        return contracts.getOrDefault(test, "").contains("Race");
    }

    private boolean speaksOf(String test, String stem) {
        return Pattern.matches("(" + CONTRACTS.get(stem) + ")Contract", contracts.getOrDefault(test, ""));
    }
}
