package dev.dibs.process;

import static org.awaitility.Awaitility.await;

import dev.dibs.junit.Closing;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("process")
@Timeout(300)
class ChildJvmTest extends Closing {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Says hello, repeats each line, and ends with 3 on request. */
    static final class Echo {
        private Echo() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println("hello " + String.join(" ", arguments) + " " + System.getenv("ECHO"));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
                System.out.println("heard " + line);
            }
            System.exit(3);
        }
    }

    /** Starts a child of its own and never ends it. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] arguments) throws InterruptedException {
            ChildJvm child = ChildJvm.start(Echo.class);
            child.awaitLine(line -> line.startsWith("hello"), PATIENCE);
            System.out.println("child " + child.pid());
            Thread.sleep(600_000);
        }
    }

    @Test
    void talks() throws InterruptedException {
        ChildJvm child = closing(ChildJvm.start(List.of("-Dx=y"), Map.of("ECHO", "there"), Echo.class, "a", "b c"));
        assertThat(awaitHello(child)).isEqualTo("hello a b c there");
        child.send("one");
        child.send("two");
        child.awaitLine("heard two"::equals, PATIENCE);
        assertThat(child.lines()).containsExactly("hello a b c there", "heard one", "heard two");
        child.send("end");
        assertThat(child.exitCode(PATIENCE)).isEqualTo(3);
        assertThatThrownBy(() -> child.awaitLine(line -> true, PATIENCE)).hasMessageContaining("it has ended");
    }

    @Test
    void standsStillWhilePaused() throws InterruptedException {
        ChildJvm child = closing(ChildJvm.start(Echo.class));
        awaitHello(child);
        child.pause();
        child.send("one");
        assertThatThrownBy(() -> child.awaitLine(line -> true, Duration.ofMillis(300)))
                .isInstanceOf(AssertionError.class);
        child.resume();
        assertThat(child.awaitLine(line -> true, PATIENCE)).isEqualTo("heard one");
    }

    @Test
    void diesWhenKilledEvenWhilePaused() throws InterruptedException {
        ChildJvm child = closing(ChildJvm.start(Echo.class));
        awaitHello(child);
        child.pause();
        child.kill();
        assertThat(child.isAlive()).isFalse();
        assertThat(child.exitCode(PATIENCE)).isEqualTo(128 + 9);
    }

    @Test
    void diesWithAParentThatIsKilled() throws InterruptedException {
        ChildJvm parent = closing(ChildJvm.start(Parent.class));
        String line = parent.awaitLine(said -> said.startsWith("child "), PATIENCE);
        long grandchild = Long.parseLong(line.substring(6));
        assertThat(Leash.runs(grandchild)).isTrue();
        parent.kill();
        // Its new parent may never ask for its exit code.
        await().until(() -> !Leash.runs(grandchild));
    }

    private static String awaitHello(ChildJvm child) throws InterruptedException {
        return child.awaitLine(line -> line.startsWith("hello"), PATIENCE);
    }
}
