package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
@UsesDatabase(H2Database.class)
class UsesDatabaseTest {
    @Test
    void handsInTheDatabaseAsAnArgument(TestDatabase database) {
        assertThat(database).isSameAs(TestDatabases.get(H2Database.class));
    }

    @Nested
    class InANestedClass {
        @Test
        void eachTestGetsTheDatabase(H2Database database) {
            assertThat(database.name()).isEqualTo("h2");
        }
    }
}
