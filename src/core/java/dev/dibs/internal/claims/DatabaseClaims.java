package dev.dibs.internal.claims;

import dev.dibs.Finding;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.store.ClaimSizes;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.values.Names;
import java.sql.Connection;
import java.util.List;
import java.util.regex.Pattern;

/** Claims on the rows of a table: checks the arguments of its callers. */
public record DatabaseClaims<T>(ClaimEngine<T> engine, Context context, ClaimDoctor examiner) implements RowClaims<T> {

    private static final int TOKEN_LIMIT = 32;
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9._:-]+");

    @Override
    public Claim<T> claim(int n) {
        return engine.claim(null, ClaimSizes.check(n));
    }

    @Override
    public Claim<T> claim(String token, int n) {
        return engine.claim(checkToken(token), ClaimSizes.check(n));
    }

    @Override
    public Claim<T> claim(Connection connection, int n) {
        return engine.on(connection).claim(null, ClaimSizes.check(n));
    }

    @Override
    public Claim<T> claim(Connection connection, String token, int n) {
        return engine.on(connection).claim(checkToken(token), ClaimSizes.check(n));
    }

    @Override
    public Claim<T> find(String token) {
        return engine.find(checkToken(token));
    }

    @Override
    public Claim<T> find(Connection connection, String token) {
        return engine.on(connection).find(checkToken(token));
    }

    @Override
    public List<RowKey> release(String token) {
        return engine.release(checkToken(token));
    }

    @Override
    public long count() {
        return engine.count();
    }

    @Override
    public List<Finding> doctor() {
        return context.ask(examiner::examine);
    }

    /** The collation of the token column may take a capital letter for the small one: then two callers would get the same rows. */
    private static String checkToken(String token) {
        Names.check("token", token);
        if (!PLAIN.matcher(token).matches() || token.length() > TOKEN_LIMIT || token.startsWith("dibs-")) {
            throw new IllegalArgumentException("the token '" + token + "' cannot be used: it must have 1 to "
                    + TOKEN_LIMIT + " characters of a-z, 0-9, '-', '_', '.' and ':', without capital letters, which"
                    + " many databases do not tell from small ones, and must not begin with dibs-");
        }
        return token;
    }

    @Override
    public String toString() {
        return engine.toString();
    }
}
