package dev.dibs.internal.claims.store;

import dev.dibs.internal.sql.files.Statements;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of claims that are stored in the user's own table, one form for each operation. */
public final class ClaimStatements {

    /** Claims rows for a new token. */
    public final ClaimSizes claim;

    /** Claims rows for a token that may have some already. */
    public final ClaimSizes claimAgain;

    /** Claims rows from the last claimed one on; null where that gains nothing, or rows have another order. */
    final @Nullable ClaimSizes claimFromFront;

    /** Claims rows, or looks for them, without those of a list. */
    final ClaimSizes behind;

    /** Claims rows of a list: by their key if there is a statement for that, since an index may have locks of its own. */
    final Statements among;

    /** The name of that statement. */
    final String claimsAmong;

    /** The statements that do not depend on how a claim ends, and the release. */
    public final Statements common;

    /** What the fragments of a claim stand for. */
    final Map<String, String> choices;

    /** The name of the statement that completes rows. */
    public final String completes;

    private final Map<ClaimStore.Change, Statements> changes = new EnumMap<>(ClaimStore.Change.class);

    /**
     * For one table.
     *
     * @param ends whether a claim ends by time
     */
    public ClaimStatements(Statements statements, ClaimTable table, boolean ends, CompletionEffect.Kind effect) {
        completes = effect == CompletionEffect.Kind.DELETE ? "delete_rows" : "complete_rows";
        boolean sets = effect == CompletionEffect.Kind.SET || effect == CompletionEffect.Kind.SET_KEY;
        String mode = ends ? "lease" : "marker";
        String key = table.keyNames().size() == 1 ? "column" : "columns";
        Map<String, String> choices = new HashMap<>(Map.of(
                "free", mode + "_free",
                "mark", mode + "_mark",
                "drop", mode + "_drop",
                "once", "any_time",
                "still", "any_time",
                "change", mode + "_drop",
                "asked_for", key + "_asked_for",
                "to_pick", key + "_to_pick",
                "picked", key + "_picked",
                "complete", sets ? "effect_and_drop" : mode + "_drop"));
        choices.put("of_asked", effect == CompletionEffect.Kind.SET_KEY ? "asked_with_new_key" : "asked_with_same_key");
        this.choices = Map.copyOf(choices);
        common = statements.about(choices, table.texts());
        claim = new ClaimSizes(statements, "claims", "claim_rows", choices, table.texts());
        choices.put("once", "first_time");
        claimAgain = new ClaimSizes(statements, "claims", "claim_rows", choices, table.texts());
        choices.put("once", "not_given");
        behind = new ClaimSizes(statements, "claims", "claim_rows", choices, table.texts());
        boolean byKey = !statements.features().claimsPerKeyAtOnce();
        claimsAmong = byKey ? "claim_per_key" : "claim_rows";
        choices.put("once", byKey ? "any_time" : "given_alone");
        choices.put("group_names", "token_name");
        among = statements.about(byKey ? "per_key" : "claims", choices, table.texts());
        boolean keepsFront = statements.hasFragment("from_front") && table.isNumbered() && table.isInOrderOfKey();
        choices.put("once", keepsFront ? "from_front" : "any_time");
        claimFromFront = keepsFront ? new ClaimSizes(statements, "claims", "claim_rows", choices, table.texts()) : null;
        changes.put(ClaimStore.Change.RELEASE, common);
        changes.put(ClaimStore.Change.COMPLETE, common);
        if (ends) {
            choices.put("change", "postpone");
            changes.put(ClaimStore.Change.POSTPONE, statements.about(choices, table.texts()));
            choices.put("change", "dead_letter");
            changes.put(ClaimStore.Change.DEAD_LETTER, statements.about(choices, table.texts()));
            choices.put("change", "renew");
            choices.put("still", "not_expired");
            changes.put(ClaimStore.Change.RENEW, statements.about(choices, table.texts()));
        }
    }

    /** The form for a change of rows; null if it needs a claim that ends by time. */
    @Nullable
    public Statements of(ClaimStore.Change change) {
        return changes.get(change);
    }
}
