package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The race by which an engine that lets two win is found. */
@Tag("race")
class EngineRaceContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void theEngineLetsOneWinAndNothingIsLeftBehind() throws Exception {
        try (Dibs dibs = dibs()) {
            List<Finding> findings = dibs.race(4);
            assertThat(findings).hasSize(5).allMatch(finding -> finding.level() == Level.OK);
        }
        try (Connection connection = pool().getConnection();
                Statement statement = connection.createStatement();
                ResultSet left = statement.executeQuery("SELECT name FROM dibs_lock WHERE name LIKE 'dibs-race:%'")) {
            assertThat(left.next()).isFalse();
        }
    }

    @Test
    void aRaceTakesFromTwoToSixtyFour() {
        try (Dibs dibs = dibs()) {
            assertThatThrownBy(() -> dibs.race(1)).hasMessageContaining("between 2 and 64");
            assertThatThrownBy(() -> dibs.race(65)).hasMessageContaining("between 2 and 64");
        }
    }
}
