package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The help, and the verbs that a command line builds. */
@Tag("unit")
class HelpTest {

    private final Cli cli = new Cli(Map.of());

    private static CommandLine commandLine(String... arguments) {
        return Main.commandLine(Map.of(), InputStream.nullInputStream(), arguments);
    }

    private static List<String> verbs() {
        CommandLine all = commandLine();
        return all.getSubcommands().values().stream()
                .filter(verb -> !verb.getCommandName().equals("help"))
                .flatMap(verb ->
                        verb.getSubcommands().isEmpty() ? Stream.of(verb) : verb.getSubcommands().values().stream())
                .map(verb -> verb.getCommandSpec().qualifiedName(" "))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void helpOfAVerbIsThatOfItsOption(String verb) {
        String[] words = verb.substring("dibs ".length()).split(" ");
        CommandLine built = commandLine(words);
        for (String word : words) {
            assertThat(built.getSubcommands()).containsOnlyKeys(word);
            built = built.getSubcommands().get(word);
            assertThat(built.getCommandName()).isEqualTo(word);
        }
        Outcome byOption = cli.run((verb.substring("dibs ".length()) + " --help").split(" "));
        Outcome byVerb = cli.run(("help " + verb.substring("dibs ".length())).split(" "));
        assertThat(byVerb.out()).isEqualTo(byOption.out()).startsWith("Usage: " + verb);
        assertThat(byVerb.exitCode()).isZero();
        assertIsHelp(byOption);
        assertThat(cli.run((verb.substring("dibs ".length()) + " --version").split(" ", -1))
                        .out())
                .startsWith("dibs ");
    }

    private static void assertIsHelp(Outcome help) {
        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).startsWith("Usage: dibs").contains("--version");
        assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
    }

    @Test
    void helpWithoutAVerbIsThatOfTheCommand() {
        assertThat(cli.run("help")).isEqualTo(cli.run("--help"));
        assertIsHelp(cli.run("--help"));
        assertIsHelp(cli.run("run", "--help"));
        assertThat(cli.run("--version").out()).startsWith("dibs ");
        assertThat(cli.run("help").out()).contains("DIBS_URL", "dibs lock nightly-report -- ./report.sh --all");
    }

    @Test
    void helpOfAnUnknownVerbIsAMistake() {
        assertThat(cli.run("help", "lokc"))
                .isEqualTo(new Outcome(2, "", "dibs: there is no command 'lokc' (see dibs --help)\n"));
        assertThat(cli.run("help", "token", "x").err()).contains("no command 'token x' (see dibs token --help)");
    }
}
