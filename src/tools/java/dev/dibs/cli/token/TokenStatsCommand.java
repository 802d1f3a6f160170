package dev.dibs.cli.token;

import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.text.TokensJson;
import dev.dibs.tokens.TokenCounts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Counts tokens. */
@Command(
        name = "stats",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Counts tokens and codes, for each purpose that has some, or for one.", ""})
final class TokenStatsCommand extends DatabaseVerb {

    @Option(names = "--purpose", paramLabel = "P", description = "Only those of this purpose.")
    private @Nullable String purpose;

    @Option(names = "--json", description = "Print an array of objects with purpose, live, used, revoked and expired.")
    private boolean json;

    @Override
    protected int run(Session session) {
        List<TokenCounts> counts = counts(session);
        out().println(json ? TokensJson.of(counts) : TokenText.table(counts));
        return ExitCode.OK;
    }

    private List<TokenCounts> counts(Session session) {
        if (purpose == null) {
            return session.ask(session.dibs().admin()::tokenCounts);
        }
        return List.of(session.ask(session.dibs().tokens(Arguments.readable("purpose", purpose))::counts));
    }
}
