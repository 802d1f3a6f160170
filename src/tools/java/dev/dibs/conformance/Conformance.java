package dev.dibs.conformance;

import dev.dibs.Dibs;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Lets a client meet all checks, one after the other. The client gets its database by the variables DIBS_HOST, DIBS_PORT, DIBS_DATABASE,
 * DIBS_USER, DIBS_PASSWORD and DIBS_DIALECT.
 */
public final class Conformance {

    private static final List<Check> CHECKS = Stream.of(
                    LockChecks.all(),
                    GuardChecks.all(),
                    DeadlineChecks.all(),
                    RaceCheck.all(),
                    TokenChecks.all(),
                    ClaimChecks.all(),
                    ClaimRaceCheck.all())
            .flatMap(List::stream)
            .sorted(Comparator.comparingInt(Check::level))
            .toList();

    private final Address address;
    private final Map<String, String> environment;
    private final Referee referee;

    /**
     * On one database, with the tables of locks and tokens.
     *
     * @param url the JDBC URL, with host and database
     * @param prefix the beginning of every table's name
     * @throws IllegalArgumentException if the URL names no host or database; the message shows a right one
     */
    public Conformance(
            String url,
            @Nullable String user,
            @Nullable String password,
            DataSource dataSource,
            Dibs dibs,
            String prefix) {
        address = Address.of(url);
        environment = new HashMap<>(Map.of(
                "DIBS_HOST",
                "127.0.0.1",
                "DIBS_DATABASE",
                address.database(),
                "DIBS_DIALECT",
                dibs.dialect().name(),
                "DIBS_PREFIX",
                prefix));
        put("DIBS_USER", user);
        put("DIBS_PASSWORD", password);
        referee = new Referee(dataSource, dibs, prefix);
    }

    private void put(String variable, @Nullable String value) {
        if (value != null) {
            environment.put(variable, value);
        }
    }

    /** The names of all checks. */
    public static List<String> names() {
        return CHECKS.stream().map(Check::name).toList();
    }

    /**
     * Lets the client that the command starts meet these checks, or all if none is named, and writes a line for each.
     *
     * @param level the highest level of the protocol whose checks are made
     * @return whether it has broken no rule
     */
    public boolean run(List<String> command, int level, List<String> only, PrintWriter out)
            throws IOException, SQLException, InterruptedException {
        boolean passed = true;
        referee.makeCounter();
        try {
            for (Check check : CHECKS) {
                if (check.level() <= level && (only.isEmpty() || only.contains(check.name()))) {
                    passed &= passes(check, command, out);
                }
            }
        } finally {
            referee.dropCounter();
        }
        return passed;
    }

    private boolean passes(Check check, List<String> command, PrintWriter out)
            throws IOException, SQLException, InterruptedException {
        Verdict verdict = Verdict.of(check, lease -> new Arena(command, environment, address, referee, lease));
        out.println(verdict.line());
        out.flush();
        return verdict.isPassed();
    }
}
