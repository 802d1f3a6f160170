package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The race that finds an engine with two winners, on engines without that defect. */
@Tag("race")
@OnEachDatabase
class EngineRaceContract implements DatabaseUser {

    private DataSource pool;

    @Override
    public void use(TestDatabase database) {
        pool = database.shared();
    }

    @Test
    @FullRun(except = "postgresql")
    void theEngineLetsOneWinAndNoTableIsLeft() throws Exception {
        List<Finding> findings = new EngineRace(pool, "dibs_", () -> Dibs.on(pool)).run(4);
        assertThat(findings).hasSize(5).allMatch(finding -> finding.level() == Level.OK);
        assertThat(tables()).contains("dibs_lock").noneMatch(table -> table.startsWith("dibs_race_"));
    }

    private List<String> tables() throws Exception {
        List<String> names = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                ResultSet table = connection
                        .getMetaData()
                        .getTables(connection.getCatalog(), null, "%", new String[] {"TABLE", "BASE TABLE"})) {
            while (table.next()) {
                names.add(table.getString("TABLE_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }
}
