package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
@UsesDatabase(H2Database.class)
class UsesDatabaseTest {
    private TestDatabase first;

    @BeforeEach
    void take(TestDatabase database) {
        first = database;
    }

    @Test
    void handsInTheSameDatabaseThroughoutATest(TestDatabase database) {
        assertThat(database).isInstanceOf(H2Database.class).isSameAs(first);
    }

    @Test
    void classesThatRunAtOnceHaveTheirOwn(TestDatabase database) {
        TestDatabase shared = TestDatabases.get(H2Database.class);
        TestDatabase other = shared.lend();
        try {
            assertThat(database).isNotSameAs(shared).isNotSameAs(other);
        } finally {
            shared.takeBack(other);
        }
    }

    @Nested
    class InANestedClass {
        @Test
        void eachTestGetsTheDatabase(H2Database database) {
            assertThat(database.name()).isEqualTo("h2");
        }
    }
}
