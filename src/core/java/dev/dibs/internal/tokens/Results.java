package dev.dibs.internal.tokens;

import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.util.Optional;

/** The result that is always the same. */
final class Results {

    static final TokenResult UNKNOWN = new TokenResult(
            TokenStatus.UNKNOWN, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), 0, false, 0);

    private Results() {}
}
