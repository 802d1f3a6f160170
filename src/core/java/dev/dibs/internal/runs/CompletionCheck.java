package dev.dibs.internal.runs;

import dev.dibs.DibsException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.time.Mutex;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds completions without an effect: rows that still meet the condition of the claims after their completion, so that they would be
 * processed for ever.
 *
 * <p>A row that is completed twice is only suspicious, since it may recur, or somebody may have opened it again. So its second completion
 * looks, in its own transaction, whether the row still meets the condition: there nobody else can have changed it.
 *
 * <p>The workers of one run in this process share it. Safe for use by any thread.
 */
final class CompletionCheck {

    private static final int REMEMBERED = 1_000;

    /** Of these the first ones stay, so that it finds a cycle of any length. */
    private static final int KEPT = 100;

    /** After so many misses others are remembered; then after twice as many, and so on: a cycle of any length is found here, too. */
    private static final long FIRST_SPAN = 10_000;

    private final ClaimEngine<?> claims;
    private final Statements statements;
    private final Mutex lock = new Mutex();

    /** The keys of rows that were completed, and whether one was looked at. */
    private final Map<RowKey, Boolean> completed = new LinkedHashMap<>();

    /** How often, since it was completed last, a row was processed without a completion that found it. Of the first ones of a span. */
    private final Map<RowKey, Integer> misses = new ConcurrentHashMap<>();

    private long span = FIRST_SPAN;
    private long missesOfSpan;

    private volatile @Nullable DibsException verdict;

    CompletionCheck(RunOptions<?> options) {
        this.claims = options.claims;
        this.statements = options.context.database().statements();
    }

    /** A look at a row, for the transaction that completes it. */
    record Look(RowKey key, Call<Boolean> call) {}

    /** Why the workers have to end; null if they may go on. */
    @Nullable
    DibsException endReason() {
        return verdict;
    }

    /** The workers have to end. */
    void end(DibsException why) {
        verdict = why;
    }

    /**
     * A row was processed, and its completion did not find it. Many are gone for good, since the work itself has deleted them. Returns how
     * often that was so since it was completed last, as far as it is remembered.
     */
    int missed(RowKey key) {
        try (Mutex.Held unused = lock.hold()) {
            missesOfSpan++;
            if (missesOfSpan > span) {
                misses.clear();
                missesOfSpan = 1;
                span *= 2;
            }
            return misses.size() < REMEMBERED || misses.containsKey(key) ? misses.merge(key, 1, Integer::sum) : 1;
        }
    }

    /** It is a dead letter now. */
    void dead(RowKey key) {
        misses.remove(key);
    }

    /** A look at one of the rows that are being completed; null if none of them is suspicious. */
    @Nullable
    Look look(List<RowKey> keys) {
        if (!claims.store().changesRows()) {
            return null;
        }
        try (Mutex.Held unused = lock.hold()) {
            for (RowKey key : keys) {
                if (Boolean.FALSE.equals(completed.get(key))) {
                    return new Look(key, claims.table().stillOpen(statements, List.of(key)));
                }
            }
            return null;
        }
    }

    /** These rows were completed, and the look was answered in the same transaction. */
    void completed(Collection<RowKey> keys, @Nullable Look look) {
        if (look != null && keys.contains(look.key()) && look.call().hit()) {
            verdict = withoutEffect(look.key());
        }
        misses.keySet().removeAll(keys);
        try (Mutex.Held unused = lock.hold()) {
            keys.forEach(key -> completed.putIfAbsent(key, false));
            if (look != null) {
                completed.put(look.key(), true);
            }
            while (completed.size() > REMEMBERED) {
                completed.keySet().stream().skip(KEPT).findFirst().ifPresent(completed::remove);
            }
        }
    }

    private DibsException withoutEffect(RowKey key) {
        Map<String, String> texts = claims.table().texts();
        String effect = String.valueOf(texts.get("effect"));
        String own = String.valueOf(texts.get("where"));
        String where = own.startsWith("(") ? own : "(" + own + ")";
        return new DibsException("row " + key + " of " + claims.table().table()
                + " was completed, and it still meets the condition where" + where + " after "
                + (effect.isEmpty() ? "its completion, which has no completeSet(..)" : "completeSet(" + effect + ")")
                + ": it would be processed again for ever. A completion must take the row out of the condition: set the"
                + " column that the condition asks for, or use completeDelete(). Or a trigger keeps the row as it was");
    }
}
