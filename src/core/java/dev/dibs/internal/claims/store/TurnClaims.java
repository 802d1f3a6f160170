package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.sql.run.Steps;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims where groups of rows take turns, and only the first rows of each can be claimed: {@code perKey(..)}.
 *
 * <p>A claim goes from group to group, from where the last one ended, until it has enough rows or has seen all groups. {@code turns.sql} has
 * its two forms, and why no group gets more rows than it may have. No statement passes more than some 1,000 groups. A claim that finds no
 * row sends further ones for a while. If it has not seen all groups by then, it says so, and the next claim goes on where it ended.
 *
 * @param <M> what the store's statement answers for a row
 */
public final class TurnClaims<T, M> implements RowClaimer<T> {

    private static final String FILE = "turns";
    private static final int FEWEST = 8;
    private static final int WIDEST = 512;
    /** A group with more open rows is worth a statement of its own. */
    private static final int LARGE = 32;
    /** How many groups a claim with rows passes, besides one for each row that it may have. {@code turns.sql} has the same number. */
    private static final int MOST_PASSED = 1_000;
    /** It passes so many in any case, however slow the database is: then a few groups are always seen completely. */
    private static final int LEAST_PASSED = 50;

    /** In milliseconds. */
    private static final long LONGEST_SEARCH = 500;

    private final TurnStore<T, M> store;
    private final ClaimTable table;
    private final TurnGroups groups;
    private final Statements dialect;
    private final Supplier<Term> terms;
    private final boolean atOnce;
    private final ClaimSizes anyTime;
    private final ClaimSizes firstTime;
    /** The statement that looks for rows, by its condition. */
    private final Map<String, Statements> looks = new ConcurrentHashMap<>();

    private final AtomicReference<Place> next = new AtomicReference<>(new Place(TurnGroups.NONE, 0));
    /** For how many rows the last search has asked at a time. */
    private volatile int lastWidth = WIDEST / FEWEST;

    private TurnClaims(
            TurnStore<T, M> store, ClaimTable table, TurnGroups groups, Statements dialect, Supplier<Term> terms) {
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
    public static <T> TurnClaims<T, ?> over(
            ClaimStore<T> store, ClaimTable table, TurnGroups groups, Statements dialect, Supplier<Term> terms) {
        if (store instanceof TurnStore<T, ?> turns) {
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
        Round round = atOnce ? new Walk(token, n, chosen) : new Pages(token, n, chosen);
        round.steps = Steps.of(round.ask(), round::run);
        return round.steps;
    }

    /**
     * Where the next claim begins. Each claim that moves it sets another object, so that a late claim cannot set it back.
     *
     * @param group the one before it
     * @param ends how often searches have come past the last group since one found a row: twice means that all were seen
     */
    private record Place(List<@Nullable String> group, int ends) {}

    /** The search of one claim. An old snapshot shows more open rows, so it does no harm. For one thread. */
    private abstract class Round {

        final String token;
        final int n;
        final Statements marks;
        List<@Nullable String> at;
        /** Whether it has come past the last group: then it ends where it began. */
        boolean fromFirst;
        /** How many groups it has passed. */
        int passed;
        /** Whether all groups were seen. */
        boolean isAround;
        /** Whether it ends: it has seen all groups, or has looked for long enough. */
        boolean isOver;

        Steps<ClaimedRow<T>> steps;
        private Place place = next.get();
        private int ends = place.ends();
        private Term begun;

        Round(String token, int n, boolean chosen) {
            this.token = token;
            this.n = n;
            this.marks = (chosen ? firstTime : anyTime).of(n);
            this.at = place.group();
        }

        /** The next statement of the search. */
        abstract Call<?> ask();

        /** Takes its answer, and moves on. Returns the rows that are claimed. */
        abstract List<ClaimedRow<T>> answered(Steps.Transactions more) throws SqlFailure;

        List<ClaimedRow<T>> run(Steps.Transactions more) throws SqlFailure {
            begun = terms.get();
            List<ClaimedRow<T>> rows = answered(more);
            while (rows.isEmpty() && !isOver) {
                steps.begin(terms.get());
                more.send(List.of(ask()));
                rows = answered(more);
            }
            if (rows.size() < n && !isAround) {
                steps.endEarly();
            }
            return rows;
        }

        /** A statement has ended with a group. The next claim begins there, unless another one has moved on since this one began. */
        void move(List<@Nullable String> group, boolean isFromFirst, boolean hasFound) {
            at = group;
            ends = hasFound ? 0 : isFromFirst && !fromFirst ? ends + 1 : ends;
            fromFirst = isFromFirst;
            isAround |= ends > 1;
            boolean isLong = begun.ageMillis() > Math.min(LONGEST_SEARCH, begun.lease() / 3);
            isOver = isAround || (hasFound && passed >= MOST_PASSED + n) || (isLong && passed >= LEAST_PASSED + n);
            Place moved = new Place(group, isAround ? 0 : ends);
            if (next.compareAndSet(place, moved)) {
                place = moved;
            }
        }
    }

    /**
     * A row of the one statement.
     *
     * @param mark null if it has marked no row
     * @param end the group with which it has ended
     * @param isAround whether it has seen all groups
     */
    private record Walked<M>(@Nullable M mark, List<@Nullable String> end, boolean fromFirst, boolean isAround) {}

    /** A search by statements that go from group to group and mark the rows. */
    private final class Walk extends Round {

        private final List<@Nullable String> start = at;
        private Call<Walked<M>> call;

        Walk(String token, int n, boolean chosen) {
            super(token, n, chosen);
        }

        @Override
        Call<?> ask() {
            Params params = groups.with(groups.with(store.params(token), "group", at), "start", start);
            call = store.marking(marks, params.with("n", n).with("lap", fromFirst ? 1 : 0), this::read);
            return call;
        }

        private Walked<M> read(ResultSet row) throws SQLException {
            M mark = row.getObject("dibs_at") == null ? null : store.mark(row);
            return new Walked<>(mark, groups.read(row), row.getInt("dibs_lap") > 0, row.getBoolean("dibs_around"));
        }

        @Override
        List<ClaimedRow<T>> answered(Steps.Transactions more) throws SqlFailure {
            Walked<M> first = call.rows().get(0);
            isAround = first.isAround();
            passed += MOST_PASSED;
            move(first.end(), first.fromFirst(), first.mark() != null);
            if (first.mark() == null) {
                return List.of();
            }
            try {
                return store.claimed(
                        token, call.rows().stream().map(Walked::mark).toList(), more);
            } catch (SqlFailure e) {
                throw e.partlyCommitted();
            }
        }
    }

    /**
     * An open row.
     *
     * @param place within its group, from 1
     */
    private record OpenRow(RowKey key, List<@Nullable String> group, boolean free, int place) {}

    /** A search that looks for rows, page by page, and then marks them. */
    private final class Pages extends Round {

        private final Set<RowKey> found = new LinkedHashSet<>();
        /** How many of the first columns of a group may stay: one less when there are no more such groups. */
        private int level = groups.size();
        /** The first group that it has seen, if that was not the first of all. */
        private @Nullable List<@Nullable String> origin;

        private int width = Math.max(groups.most, lastWidth);
        private Call<OpenRow> page;

        Pages(String token, int n, boolean chosen) {
            super(token, n, chosen);
            fromFirst = at.isEmpty();
        }

        @Override
        Call<?> ask() {
            page = look(at);
            return page;
        }

        /** Asks for the rows behind a group. Values that are only tried out are empty, and are sent as NULL. */
        Call<OpenRow> look(List<@Nullable String> group) {
            String after = group.isEmpty() ? "1 = 1" : groups.after(dialect, group, level);
            Statements look =
                    looks.computeIfAbsent(after, condition -> dialect.about(FILE, choices(false), texts(condition)));
            Params params = groups.with(store.params(token), "group", at).with("n", width);
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

        @Override
        List<ClaimedRow<T>> answered(Steps.Transactions more) throws SqlFailure {
            take(page.rows());
            List<ClaimedRow<T>> claimed = List.of();
            while (claimed.isEmpty() && !found.isEmpty() && (isEnough() || isOver)) {
                claimed = mark(more);
            }
            return claimed;
        }

        private boolean isEnough() {
            return found.size() >= n;
        }

        /** Takes the rows of a page that can be claimed, and moves on. */
        private void take(List<OpenRow> rows) {
            List<@Nullable String> group = at;
            for (OpenRow row : rows) {
                if (!row.group().equals(group)) {
                    isAround = fromFirst && row.group().equals(origin);
                    if (isAround || isEnough()) {
                        break;
                    }
                    passed++;
                    group = row.group();
                }
                if (row.free() && row.place() <= groups.most) {
                    found.add(row.key());
                }
            }
            if (origin == null && !fromFirst && !rows.isEmpty()) {
                origin = rows.get(0).group();
            }
            int before = level;
            level = groups.size();
            boolean isPastLast = false;
            if (!isAround && !isEnough()) {
                if (rows.size() == width && !group.equals(at)) {
                    group = adapt(rows);
                } else if (before > 1 && !group.isEmpty()) {
                    level = before - 1;
                } else {
                    isPastLast = true;
                    isAround = fromFirst;
                    group = TurnGroups.NONE;
                }
            }
            move(group, fromFirst || isPastLast, !found.isEmpty());
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
            first.forEach(found::remove);
            steps.begin(terms.get());
            Call<M> marking = store.marking(marks, table.withKeys(store.params(token), first), store::mark);
            return Steps.of(marking, rest -> store.claimed(token, marking.rows(), rest))
                    .send(more);
        }
    }

    @Override
    public List<Call<?>> trial() {
        String nobody = OwnerToken.next();
        List<Call<?>> calls = new ArrayList<>(store.trial());
        calls.add(Call.of(anyTime.bound(), "unfit_columns", Params.of("table", table.table()), groups::refuse));
        for (boolean chosen : new boolean[] {false, true}) {
            Statements marks = (chosen ? firstTime : anyTime).bound();
            calls.add(
                    atOnce
                            ? new Walk(nobody, 1, chosen).ask()
                            : store.marking(marks, table.withKeys(store.params(nobody), List.of()), store::mark));
        }
        if (!atOnce) {
            Pages pages = new Pages(nobody, 1, false);
            calls.add(pages.ask());
            for (pages.level = 1; pages.level <= groups.size(); pages.level++) {
                calls.add(pages.look(Collections.nCopies(groups.size(), "")));
            }
        }
        return calls;
    }

    /** Looks for the first and the last group, to begin anywhere between them. */
    public Steps<Boolean> start() {
        Call<List<@Nullable String>> ends = Call.of(anyTime.bound(), "ends_of_groups", store.params(""), groups::read);
        return Steps.of(ends, more -> {
            next.set(new Place(groups.between(ends.rows()), 0));
            return List.of();
        });
    }
}
