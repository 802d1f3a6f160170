package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.schema.Schema;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tables of each capability. */
@Tag("unit")
class CapabilityTest {

    static Collection<String> dialects() {
        return Dialect.names();
    }

    private static List<String> tables(String dialect, Capability... only) {
        return Dialect.named(dialect).statements("x_").schema().of(Schema.names(only)).stream()
                .map(table -> table.name().substring(2))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void theSchemaFileHasTheTablesOfEach(String dialect) {
        assertThat(Dialect.named(dialect).statements("dibs_").schema().capabilities())
                .containsExactlyElementsOf(Arrays.stream(Capability.values())
                        .flatMap(capability -> Schema.names(capability).stream())
                        .toList());
        assertThat(tables(dialect, Capability.LOCKS)).containsExactly("lock");
        assertThat(tables(dialect, Capability.READ_WRITE_LOCKS)).containsExactly("gate", "reader");
        assertThat(tables(dialect)).hasSize(13);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aCapabilityBringsItsRequirements(String dialect) {
        assertThat(tables(dialect, Capability.TOKENS)).containsExactly("lock", "token");
        assertThat(tables(dialect, Capability.FAIR_LOCKS, Capability.SEMAPHORES))
                .containsExactly("lock", "permit", "ticket");
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void theStatementsAndTheGrantsAreThoseOfTheOnesThatAreNamed(String dialect) {
        Dialect chosen = Dialect.named(dialect);
        assertThat(chosen.ddl("x_", Capability.LOCKS))
                .containsOnlyOnce("CREATE TABLE")
                .contains(" x_lock (");
        assertThat(chosen.grants("x_", "app", Capability.LOCKS))
                .isEqualTo("GRANT SELECT, INSERT, UPDATE, DELETE ON x_lock TO app;\n");
        assertThat(chosen.grants("x_", "app").lines()).hasSize(13);
    }
}
