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

    static Stream<Ground> grounds() {
        List<Ground> all = new ArrayList<>(List.of(MysqldGround.mariadb(), new H2Ground()));
        if (!TIME.isZero() || !DATABASE.isEmpty()) {
            all.addAll(List.of(
                    new PostgresGround(),
                    MysqldGround.mysql(),
                    new PostgresPairGround(),
                    new H2AutoServerGround(),
                    new SqliteGround()));
        }
        return all.stream().filter(ground -> DATABASE.isEmpty() || ground.name().equals(DATABASE));
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("grounds")
    void noPromiseIsBroken(Ground ground) throws Exception {
        Assumptions.assumeTrue(
                ground.database().available(),
                () -> ground.database().whyUnavailable().orElse(""));
        new Trial(ground, Trial.seed()).run(ground.faults(), PACE, TIME);
    }
}
