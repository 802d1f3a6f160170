package dev.dibs.contract;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Callers that complete at once, each with a claim of its own. */
final class CompletionCrowd extends Gathering {

    private final RowClaims<RowKey> claims;

    /** Not occupied yet, so that rows can be claimed; occupying needs eight more rows. */
    CompletionCrowd(Fixture fixture, Function<Dibs, ClaimsBuilder> builder) {
        super(fixture, LONG);
        claims = builder.apply(dibs()).build();
    }

    RowClaims<RowKey> claims() {
        return claims;
    }

    @Override
    Callable<?> blocker(String name) {
        return claims.claim(1)::complete;
    }

    /** This many claims with this many rows each. */
    List<Claim<RowKey>> claim(int count, int rows) {
        List<Claim<RowKey>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(claims.claim(rows));
        }
        return all;
    }

    /** Whether the answers came before anybody may have gone alone: nobody queues for longer than two seconds. */
    boolean inTime() {
        return took().compareTo(Duration.ofSeconds(2)) < 0;
    }

    /** A call for each claim; all are queued when this returns. */
    List<Future<ClaimResult>> complete(List<Claim<RowKey>> all) {
        return queueAtOnce(all.stream()
                .map(claim -> (Callable<ClaimResult>) claim::complete)
                .toList());
    }
}
