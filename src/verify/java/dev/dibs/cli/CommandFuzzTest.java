package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.database.FullRun;
import dev.dibs.fuzz.HostileTexts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** For any command line: an answer or a message, a documented exit code, never a stack trace. */
@Tag("unit")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@FullRun
class CommandFuzzTest {

    private static final int LINES = 400;
    private static final int MOST_WORDS = 6;
    /** picocli needs seconds to guess the meaning of a longer word. */
    private static final int LONGEST_WORD = 300;

    private static final List<String> VERBS = List.of(
            "",
            "locks",
            "break",
            "run",
            "run list",
            "run status",
            "run pause",
            "run resume",
            "run stop",
            "run set",
            "run errors",
            "run dead",
            "run retry",
            "run reset",
            "run ensure-finished",
            "token",
            "token issue",
            "token peek",
            "token consume",
            "token revoke",
            "token purge",
            "token stats",
            "once --list",
            "init",
            "schema",
            "doctor",
            "lock",
            "semaphore");

    private static final List<String> WORDS =
            List.of(("--json --purpose --purpose=p --ttl --ttl=1h --subject --limit=3 --claims --key"
                            + " --token --until --where --wait --wait=0s --lease --lease=1s --prefix --schema"
                            + " --permits --permits=2 --batch=7 --rate --reason --help --version --every -- true"
                            + " h2 name 5m")
                    .split(" ", -1));

    private static final Set<Integer> CODES = Set.of(
            ExitCode.OK,
            ExitCode.NO,
            ExitCode.MISTAKE,
            ExitCode.NOT_ACQUIRED,
            ExitCode.LEASE_LOST,
            ExitCode.TOKEN_REFUSED,
            ExitCode.NOT_EXECUTABLE,
            ExitCode.NOT_FOUND);

    @Test
    void hostileArgumentsGetAMessageAndACode() {
        long seed = System.nanoTime();
        HostileTexts texts = new HostileTexts(seed);
        Cli cli = Cli.on("jdbc:h2:mem:fuzz" + seed + ";DB_CLOSE_DELAY=60", "sa", "");
        cli.run("init");
        for (int i = 0; i < LINES; i++) {
            List<String> line = line(texts);
            Outcome outcome = cli.run(line.toArray(String[]::new));
            assertThat(outcome.exitCode())
                    .as("seed %d: %s -> %s", seed, line, outcome)
                    .isIn(CODES);
            assertThat(outcome.out() + outcome.err())
                    .as("seed %d: %s", seed, line)
                    .doesNotContain("\tat ", "java.lang", "Exception in")
                    .doesNotContain("\u001b[31m");
            assertThat(outcome.exitCode() == ExitCode.OK || !(outcome.out() + outcome.err()).isBlank())
                    .as("seed %d: %s says nothing", seed, line)
                    .isTrue();
        }
        assertThat(cli.run("doctor").out()).as("seed %d", seed).contains("OK      tables");
    }

    private static List<String> line(HostileTexts texts) {
        List<String> words = new ArrayList<>();
        String verb = texts.any(VERBS);
        if (!verb.isEmpty()) {
            words.addAll(List.of(verb.split(" ")));
        }
        for (int i = texts.below(MOST_WORDS); i > 0; i--) {
            String word = texts.below(2) == 0 ? texts.any(WORDS) : texts.next();
            words.add(word.substring(0, Math.min(word.length(), LONGEST_WORD)));
        }
        if (words.contains("--")) {
            // The words after it would be run.
            words = new ArrayList<>(words.subList(0, words.indexOf("--") + 1));
            words.add("true");
        }
        words.removeIf(word -> word.equals("--url") || word.indexOf('\0') >= 0);
        return words;
    }
}
