package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.sql.run.Steps;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims where groups of rows take turns, and only the first rows of each can be claimed: {@code perKey(..)}.
 *
 * <p>A claim goes from group to group, from where the last one ended, until it has enough rows or has seen all groups. {@code turns.sql} has
 * its two forms, and why no group gets more rows than it may have.
 */
public final class TurnClaims<T> implements RowClaimer<T> {

    private static final String FILE = "turns";
    private static final int FEWEST = 8;
    private static final int WIDEST = 512;
    /** A group with more open rows is worth a statement of its own. */
    private static final int LARGE = 32;

    private final TurnStore<T> store;
    private final ClaimTable table;
    private final TurnGroups groups;
    private final Statements dialect;
    private final Supplier<Term> terms;
    private final boolean atOnce;
    private final ClaimSizes anyTime;
    private final ClaimSizes firstTime;
    /** The statement that looks for rows, by its condition. */
    private final Map<String, Statements> looks = new ConcurrentHashMap<>();
    /** For how many rows the last walk has asked at a time. */
    private volatile int lastWidth = WIDEST / FEWEST;

    private TurnClaims(
            TurnStore<T> store, ClaimTable table, TurnGroups groups, Statements dialect, Supplier<Term> terms) {
        this.store = store;
        this.table = table;
        this.groups = groups;
        this.dialect = dialect;
        this.terms = terms;
        this.atOnce = dialect.features().claimsInTurnAtOnce();
        this.anyTime = sizes(false);
        this.firstTime = sizes(true);
    }

    /**
     * Over a store that keeps claims of the same table.
     *
     * @param terms begins the term of a claim
     * @throws IllegalArgumentException if its rows cannot take turns
     */
    public static <T> TurnClaims<T> over(
            ClaimStore<T> store, ClaimTable table, TurnGroups groups, Statements dialect, Supplier<Term> terms) {
        if (store instanceof TurnStore<T> turns) {
            return new TurnClaims<>(turns, table, groups, dialect, terms);
        }
        throw new IllegalArgumentException(
                "ranges are claimed in the order of the key, so that perKey(..) does not go with"
                        + " ranges(..): keep the claims in a column with token(..), or use sideTable()");
    }

    private ClaimSizes sizes(boolean chosen) {
        return new ClaimSizes(dialect, FILE, "claim_in_turn", choices(chosen), texts("1 = 1"));
    }

    private Map<String, String> choices(boolean chosen) {
        Map<String, String> choices = new HashMap<>(store.turnChoices(chosen));
        if (!groups.skipsDead) {
            choices.put("alive", "any_time");
        }
        if (atOnce) {
            choices.putAll(groups.walk(dialect));
        }
        return choices;
    }

    private Map<String, String> texts(String after) {
        Map<String, String> texts = new HashMap<>(table.texts());
        texts.putAll(groups.texts(dialect));
        texts.put("ties", table.ties());
        texts.put("same_key", table.sameKey());
        texts.put("then_order", groups.without(table.texts().get("order") + table.ties()));
        texts.put("after", after);
        return texts;
    }

    @Override
    public Steps<ClaimedRow<T>> claim(String token, int n, boolean chosen) {
        if (atOnce) {
            Params params = groups.with(store.params(token), groups.last).with("n", n);
            return store.claimInTurn((chosen ? firstTime : anyTime).of(n), params, token, groups);
        }
        Walk walk = new Walk(token, n, chosen);
        return walk.steps;
    }

    /**
     * An open row.
     *
     * @param place within its group, from 1
     */
    private record OpenRow(RowKey key, List<@Nullable String> group, boolean free, int place) {}

    /** A claim that looks for rows first. An old snapshot shows more open rows, so it does no harm. For one thread. */
    private final class Walk {

        private final String token;
        private final int n;
        private final boolean chosen;
        private final Set<RowKey> found = new LinkedHashSet<>();

        private List<@Nullable String> at = groups.last;
        /** How many of the first columns of a group may stay: one less when there are no more such groups. */
        private int level = groups.size();
        /** Whether it has begun at the first group: then it ends with the last one, or before the one where it began. */
        private boolean fromFirst = at.isEmpty();

        /** The group where it has begun, if that was not the first. */
        private @Nullable List<@Nullable String> origin;

        private int width = Math.max(groups.most, lastWidth);

        private final Steps<ClaimedRow<T>> steps;

        Walk(String token, int n, boolean chosen) {
            this.token = token;
            this.n = n;
            this.chosen = chosen;
            Call<OpenRow> first = look(at);
            steps = Steps.of(first, more -> from(first, more));
        }

        /** Asks for the rows behind a group. Values that are only tried out are empty, and are sent as NULL. */
        Call<OpenRow> look(List<@Nullable String> group) {
            String after = group.isEmpty() ? "1 = 1" : groups.after(dialect, group, level);
            Statements look =
                    looks.computeIfAbsent(after, condition -> dialect.about(FILE, choices(false), texts(condition)));
            Params params = groups.with(store.params(token), at).with("n", width);
            return Call.of(
                            look,
                            "rows_in_turn",
                            params,
                            row -> new OpenRow(
                                    table.keyIn(row),
                                    groups.read(row),
                                    row.getInt("dibs_free") == 1,
                                    row.getInt("dibs_place")))
                    .labelled("dibs_key1");
        }

        List<ClaimedRow<T>> from(Call<OpenRow> first, Steps.Transactions more) throws SqlFailure {
            Call<OpenRow> looking = first;
            while (true) {
                boolean isEnd = !goOn(looking.rows());
                while (!found.isEmpty() && (isEnd || isEnough())) {
                    List<ClaimedRow<T>> claimed = mark(more);
                    if (!claimed.isEmpty()) {
                        return claimed;
                    }
                }
                if (isEnd) {
                    return List.of();
                }
                looking = look(at);
                more.send(List.of(looking));
            }
        }

        private boolean isEnough() {
            return found.size() >= n;
        }

        /** Takes the rows that can be claimed. Returns whether there may be others. */
        private boolean goOn(List<OpenRow> rows) {
            List<@Nullable String> before = at;
            for (OpenRow row : rows) {
                if (isEnough() && !row.group().equals(at)) {
                    break;
                }
                if (fromFirst && row.group().equals(origin)) {
                    goOnAt(at);
                    return false;
                }
                if (!fromFirst && origin == null) {
                    origin = row.group();
                }
                at = row.group();
                if (row.free() && row.place() <= groups.most) {
                    found.add(row.key());
                }
            }
            if (isEnough()) {
                return goOnAt(at);
            }
            if (rows.size() == width && !at.equals(before)) {
                return goOnAt(adapt(rows));
            }
            at = before;
            if (!at.isEmpty() && level > 1) {
                level--;
                return true;
            }
            boolean isSecond = fromFirst;
            fromFirst = true;
            return goOnAt(TurnGroups.NONE) && !isSecond;
        }

        private boolean goOnAt(List<@Nullable String> group) {
            at = group;
            groups.last = group;
            level = groups.size();
            return true;
        }

        /**
         * Adapts the number of rows to the size of the groups. Returns the group to go on behind: the last one, or the one before if the last
         * may have further rows that can be claimed.
         */
        private List<@Nullable String> adapt(List<OpenRow> rows) {
            long begun = rows.stream().filter(row -> row.place() == 1).count();
            width = Math.max(groups.most, rows.size() > begun * LARGE ? FEWEST : Math.min(2 * width, WIDEST));
            lastWidth = width;
            OpenRow last = rows.get(rows.size() - 1);
            return last.place() < groups.most
                    ? rows.get(rows.size() - 1 - last.place()).group()
                    : last.group();
        }

        /** Claims the first of the rows that were found: none if others have taken all of these. */
        private List<ClaimedRow<T>> mark(Steps.Transactions more) throws SqlFailure {
            List<RowKey> first = found.stream().limit(n).toList();
            Params params = table.withKeys(store.params(token), first);
            first.forEach(found::remove);
            steps.begin(terms.get());
            return store.claimInTurn((chosen ? firstTime : anyTime).bound(), params, token, null)
                    .send(more);
        }
    }

    @Override
    public List<Call<?>> trial() {
        String nobody = OwnerToken.next();
        List<Call<?>> calls = new ArrayList<>(store.trial());
        calls.add(Call.of(anyTime.bound(), "unfit_columns", Params.of("table", table.table()), groups::refuse));
        for (boolean chosen : new boolean[] {false, true}) {
            Params params = groups.with(table.withKeys(store.params(nobody), List.of()), groups.last);
            ClaimSizes form = chosen ? firstTime : anyTime;
            calls.addAll(store.claimInTurn(form.of(1), params.with("n", 1), nobody, groups)
                    .calls());
        }
        if (!atOnce) {
            Walk walk = new Walk(nobody, 1, false);
            calls.addAll(walk.steps.calls());
            for (walk.level = 1; walk.level <= groups.size(); walk.level++) {
                calls.add(walk.look(Collections.nCopies(groups.size(), "")));
            }
        }
        return calls;
    }

    /** Looks for the first and the last group, to begin anywhere between them. */
    public Steps<Boolean> start() {
        Call<List<@Nullable String>> ends = Call.of(anyTime.bound(), "ends_of_groups", store.params(""), groups::read);
        return Steps.of(ends, more -> {
            groups.startBetween(ends.rows());
            return List.of();
        });
    }
}
