package dev.dibs.fault;

import dev.dibs.fault.FaultPlan.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No fault breaks a promise. With {@code -Pall} each fault occurs once on the databases that {@code EachFaultTest} leaves out; {@code mvn
 * -Pfaults verify -Dfaults.minutes=10} goes on for longer, on all. {@code -Dfaults.database=postgresql} chooses a database, {@code -Dfaults.seed=1} repeats an
 * order of faults. It is the longest test, so it comes first.
 */
@Tag("fault")
@Order(Order.DEFAULT - 1)
class FaultsTest {
    private static final String DATABASE = System.getProperty("faults.database", "");
    private static final Duration TIME =
            Duration.ofSeconds(Math.round(60 * Double.parseDouble(property("minutes", "0"))));
    private static final Pace PACE = TIME.isZero() ? Pace.SHORT : Pace.LONG;

    private static String property(String name, String otherwise) {
        String value = System.getProperty("faults." + name, "");
        return value.isEmpty() ? otherwise : value;
    }

    static Stream<DatabaseUnderTest> grounds() {
        List<DatabaseUnderTest> all = new ArrayList<>(List.of(MysqldUnderTest.mariadb(), new H2UnderTest()));
        if (!TIME.isZero() || !DATABASE.isEmpty()) {
            all.addAll(List.of(
                    new PostgresUnderTest(),
                    MysqldUnderTest.mysql(),
                    new PostgresPairUnderTest(),
                    new H2AutoServerUnderTest(),
                    new SqliteUnderTest()));
        }
        return all.stream()
                .filter(database -> DATABASE.isEmpty() || database.name().equals(DATABASE));
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("grounds")
    void noPromiseIsBroken(DatabaseUnderTest database) throws Exception {
        Assumptions.assumeTrue(
                database.database().available(),
                () -> database.database().whyUnavailable().orElse(""));
        new FaultScenario(database, FaultScenario.seed()).run(database.faults(), PACE, TIME);
    }
}
