package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullTest;
import dev.dibs.database.KeyType;
import dev.dibs.process.ChildJvm;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A key goes back exactly as it came, whatever its type, the settings of the session and the time zone of the JVM are. What cannot is
 * refused. A time zone is that of a whole JVM, so each has a JVM of its own.
 */
class KeyTypeContract extends ContractFixture {

    @BeforeEach
    void createTypes() throws SQLException {
        createTypes(this);
    }

    static void createTypes(Fixture fixture) throws SQLException {
        try (Connection connection = fixture.pool().getConnection()) {
            for (String type : fixture.database().keys().before()) {
                try {
                    run(connection, type);
                } catch (SQLException exists) {
                    // Another test has created it.
                }
            }
        }
    }

    @FullTest(except = "postgresql")
    @Tag("slow")
    void aTimeGoesBackAsItCameInAnotherTimeZone() throws Exception {
        rounds("America/New_York", true);
    }

    @FullTest
    @Tag("slow")
    void aKeyOfEachTypeGoesBackAsItCame() throws Exception {
        rounds("Europe/Berlin", false);
    }

    private void rounds(String zone, boolean oneTime) throws Exception {
        try (ChildJvm child = ChildJvm.start(
                List.of("-Duser.timezone=" + zone),
                Map.of(),
                KeyRoundsMain.class,
                database().name(),
                database().url(),
                database().user(),
                database().password(),
                prefix(),
                String.valueOf(oneTime))) {
            child.awaitLine(line -> line.equals("ENDED") || line.startsWith("FAULT"), Duration.ofMinutes(5));
            assertThat(child.lines())
                    .as(zone)
                    .filteredOn(line -> line.startsWith("FAULT"))
                    .isEmpty();
        }
    }

    @Test
    void aTypeThatCannotGoBackIsRefusedWithItsColumn() throws Exception {
        List<KeyType> refused = database().keys().types().stream()
                .filter(type -> type.values().isEmpty())
                .toList();
        assertThat(refused).isNotEmpty();
        Dibs dibs = dibs();
        for (KeyType type : refused) {
            String name = prefix() + "refused";
            try (Connection connection = pool().getConnection()) {
                run(connection, "CREATE TABLE " + name + " (at_key " + type.type() + ", mark varchar(32))");
                assertThatThrownBy(() ->
                                dibs.claims(name).key("at_key").token("mark").build())
                        .as(type.type())
                        .isInstanceOf(DatabaseFailureException.class)
                        .hasMessageContainingAll("the column ", "cannot be a key here", "key(..)");
                run(connection, "DROP TABLE " + name);
            }
        }
    }
}
