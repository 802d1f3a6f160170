package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowClaims;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.RunLimits;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The claim statement for each number of rows, where the dialect writes {@code {n}} into the text: a database that plans a statement once
 * does not know the value of the parameter {@code :n}. A program uses few sizes; beyond these, the number is a parameter.
 */
public final class ClaimSizes {

    private static final int MOST = 16;

    /** Makes the statements for some texts. */
    private final Function<Map<String, String>, Statements> about;

    private final Map<String, String> texts;
    private final boolean inText;
    private final Statements bound;
    private final Map<Integer, Statements> sizes = new ConcurrentHashMap<>();

    ClaimSizes(
            Statements statements,
            String file,
            String statement,
            Map<String, String> choices,
            Map<String, String> texts) {
        Map<String, String> chosen = Map.copyOf(choices);
        this.about = filledIn -> statements.about(file, chosen, filledIn);
        this.texts = texts;
        this.inText = statements.uses(statement, "n");
        this.bound = about.apply(texts);
    }

    /** Returns the size of a claim if it is within bounds. */
    public static int check(int n) {
        return RunLimits.checkBatch(n, RowClaims.LARGEST_CLAIM);
    }

    /** The number of rows is a parameter. */
    public Statements bound() {
        return bound;
    }

    Statements of(int n) {
        Statements known = sizes.get(n);
        if (known != null) {
            return known;
        }
        if (!inText || sizes.size() >= MOST) {
            return bound;
        }
        return sizes.computeIfAbsent(n, this::inText);
    }

    private Statements inText(int n) {
        Map<String, String> sized = new HashMap<>(texts);
        sized.put("n", String.valueOf(n));
        return about.apply(sized);
    }
}
