package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullTest;
import dev.dibs.process.GoProgram;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The client in Go by itself: its own tests, over SQLite, its examples, and Go's tools. A rule that it breaks on purpose fails its tests. */
@Tag("process")
@Timeout(900)
class GoClientTest {

    @BeforeEach
    void requireGo() {
        Assumptions.assumeTrue(
                GoProgram.obstacle().isEmpty(), () -> GoProgram.obstacle().orElse(""));
    }

    @FullTest
    void itIsFormattedAndVetFindsNothing() throws Exception {
        GoProgram client = GoProgram.right();
        assertThat(client.run(List.of("gofmt", "-l", ".")).said()).isEmpty();

        GoProgram.Result vetted = client.go("vet", "./...");
        assertThat(vetted.isGood()).as(vetted.said()).isTrue();
    }

    @FullTest
    void itsTestsFindNoRace() throws Exception {
        GoProgram.Result tested = GoProgram.right().go("test", "-race", ".");
        assertThat(tested.isGood()).as(tested.said()).isTrue();
    }

    @FullTest
    void aRuleThatIsBrokenFailsItsTests() throws Exception {
        for (GoMistakes.Mistake mistake : GoMistakes.IN_ITS_TESTS) {
            for (String test : mistake.finds()) {
                GoProgram.Result tested =
                        mistake.program().go("test", "-timeout", "120s", "-run", "^" + test + "$", ".");
                assertThat(tested.isGood())
                        .as(mistake.name() + ": " + tested.said())
                        .isFalse();
                assertThat(tested.said()).as(mistake.name()).contains("--- FAIL: " + test);
            }
        }
    }
}
