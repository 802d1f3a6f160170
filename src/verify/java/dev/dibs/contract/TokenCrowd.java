package dev.dibs.contract;

import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** Callers that consume tokens at once. */
final class TokenCrowd extends Gathering {

    /** Occupied. */
    TokenCrowd(Fixture fixture) throws Exception {
        super(fixture, LONG);
        occupy();
    }

    /** Without a purge in the background. */
    OneTimeTokens tokens(String purpose) {
        return dibs().tokens(purpose).purgeEvery(Duration.ZERO);
    }

    @Override
    Callable<?> blocker(String name) {
        OneTimeTokens tokens = tokens(name);
        String token = tokens.issue("blocker", LONG);
        return () -> tokens.consume(token);
    }

    /** The calls, all queued when this returns. */
    List<Future<TokenResult>> consume(List<Callable<TokenResult>> calls) {
        return queueAtOnce(calls);
    }

    /** A call for each token. */
    List<Future<TokenResult>> consume(OneTimeTokens tokens, List<String> issued) {
        return consume(issued.stream()
                .map(token -> (Callable<TokenResult>) () -> tokens.consume(token))
                .toList());
    }
}
