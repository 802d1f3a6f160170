package dev.dibs.conformance;

import java.io.IOException;
import java.util.List;

/** The rules for a client of one-time tokens: level 6 of docs/lab/protocol.md. */
final class TokenChecks {

    private TokenChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(6, "tokens", TokenChecks::once), new Check(6, "token-lost-answer", TokenChecks::lostAnswer));
    }

    private static void expect(String wanted, String status) throws CheckFailed {
        CheckFailed.unless(wanted.equals(status), "the status was to be '" + wanted + "', and is '" + status + "'");
    }

    private static void once(Arena arena) throws CheckFailed, NotOffered, IOException {
        Referee referee = arena.referee();
        Client client = arena.client();
        String token = referee.issueToken();
        expect("ok", client.consume(referee.purpose(), token));
        expect("used", client.consume(referee.purpose(), token));
        expect("unknown", client.consume(referee.purpose(), ""));
        expect("unknown", client.consume(referee.purpose(), "no-such-token"));
        expect("unknown", client.consume(referee.purpose(), "A".repeat(43)));
        expect("unknown", client.consume(referee.purpose() + "2", referee.issueToken()));
        CheckFailed.unless(!referee.consume(token), "a token that the client has used can be used again");
        String other = referee.issueToken();
        CheckFailed.unless(referee.consume(other), "a fresh token cannot be used");
        expect("used", client.consume(referee.purpose(), other));
    }

    /** The use is sent again with the same owner, so that it is known to be ours. */
    private static void lostAnswer(Arena arena) throws CheckFailed, NotOffered, IOException {
        Referee referee = arena.referee();
        Client client = arena.client();
        // A text of another form is not asked for.
        expect("unknown", client.consume(referee.purpose(), "A".repeat(43)));
        client.proxy().cut(CuttingProxy.Cut.ANSWER);
        expect("ok", client.consume(referee.purpose(), referee.issueToken()));
    }
}
