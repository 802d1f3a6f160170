package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
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
 * <p>A claim goes from group to group, from where the last one ended, until it has enough rows or has seen all groups. {@code per_key.sql} has
 * its two forms, and why no group gets more rows than it may have. No statement passes more than some 1,000 groups. A claim that finds no
 * row sends further ones for a while. If it has not seen all groups by then, it says so, and the next claim goes on where it ended.
 *
 * @param <M> what the store's statement answers for a row
 */
public final class PerKeyClaims<T, M> implements RowClaimer<T> {

    private static final String FILE = "per_key";
    private static final int FEWEST = 8;
    private static final int WIDEST = 512;
    /** A group with more open rows is worth a statement of its own. */
    private static final int LARGE = 32;
    /** How many groups a claim with rows passes, besides one for each row that it may have. {@code per_key.sql} has the same number. */
    private static final int MOST_PASSED = 1_000;
    /** It passes so many in any case, however slow the database is: then a few groups are always seen completely. */
    private static final int LEAST_PASSED = 50;

    private final PerKeyStore<T, M> store;
    private final ClaimTable table;
    private final KeyGroups groups;
    private final Statements dialect;
    private final Supplier<Term> terms;
    private final boolean atOnce;
    private final ClaimSizes anyTime;
    private final ClaimSizes firstTime;
    /** The statement that looks for rows, by its condition. */
    private final Map<String, Statements> looks = new ConcurrentHashMap<>();

    private final AtomicReference<KeyGroups.Place> next = new AtomicReference<>(new KeyGroups.Place(KeyGroups.NONE, 0));
    /** For how many rows the last search has asked at a time. */
    private volatile int lastWidth = WIDEST / FEWEST;

    private PerKeyClaims(
            PerKeyStore<T, M> store, ClaimTable table, KeyGroups groups, Statements dialect, Supplier<Term> terms) {
        this.store = store;
        this.table = table;
        this.groups = groups;
        this.dialect = dialect;
        this.terms = terms;
        this.atOnce = dialect.features().claimsPerKeyAtOnce();
        this.anyTime = sizes(false);
        this.firstTime = sizes(true);
    }

    /**
     * Over a store that keeps claims of the same table.
     *
     * @param terms begins the term of a claim
     * @throws IllegalArgumentException if its rows cannot take turns
     */
    public static <T> PerKeyClaims<T, ?> over(
            ClaimStore<T> store, ClaimTable table, KeyGroups groups, Statements dialect, Supplier<Term> terms) {
        if (store instanceof PerKeyStore<T, ?> perKey) {
            return new PerKeyClaims<>(perKey, table, groups, dialect, terms);
        }
        throw new IllegalArgumentException(
                "ranges are claimed in the order of the key, so that perKey(..) does not go with"
                        + " ranges(..): keep the claims in a column with token(..), or use sideTable()");
    }

    private Statements looking(String after) {
        Map<String, String> choices = groups.choices(dialect, store.perKeyTexts(false));
        return dialect.about(FILE, choices, groups.texts(dialect, table, after));
    }

    private ClaimSizes sizes(boolean chosen) {
        Map<String, String> choices = groups.choices(dialect, store.perKeyTexts(chosen));
        return new ClaimSizes(dialect, FILE, "claim_per_key", choices, groups.texts(dialect, table, "1 = 1"));
    }

    @Override
    public Steps<ClaimedRow<T>> claim(String token, int n, boolean chosen) {
        Round round = atOnce ? new Walk(token, n, chosen) : new Pages(token, n, chosen);
        round.steps = Steps.of(round.ask(), round::run);
        return round.steps;
    }

    /** The search of one claim. An old snapshot shows more open rows, so it does no harm. For one thread. */
    private abstract class Round {

        final String token;
        final int n;
        final boolean chosen;
        final RefusedRows refused = store.refused();
        /** Those that are known. They hold the later rows of their groups back. */
        final List<RowKey> known = refused.isEmpty() ? List.of() : refused.foundLatelyAfter(0);

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
        private KeyGroups.Place place = next.get();
        private int ends = place.ends();
        private Term begun;

        Round(String token, int n, boolean chosen) {
            this.token = token;
            this.n = n;
            this.chosen = chosen;
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
                begin();
                more.send(List.of(ask()));
                rows = answered(more);
            }
            if (rows.size() < n && !isAround) {
                steps.endEarly();
            }
            return rows;
        }

        /** The lease counts from now. Rows that another caller with the same token has claimed meanwhile are in an answer, too. */
        void begin() {
            steps.begin(atOnce || !chosen ? terms.get() : null);
        }

        /** A statement has ended with a group. The next claim begins there, unless another one has moved on since this one began. */
        void move(List<@Nullable String> group, boolean isFromFirst, boolean hasFound) {
            at = group;
            ends = hasFound ? 0 : isFromFirst && !fromFirst ? ends + 1 : ends;
            fromFirst = isFromFirst;
            isAround |= ends > 1;
            boolean isLong = begun.ageMillis() > Math.min(TableClaims.LONGEST_SEARCH, begun.lease() / 3);
            isOver = isAround || (isLong && passed >= LEAST_PASSED + n);
            KeyGroups.Place moved = new KeyGroups.Place(group, isAround ? 0 : ends);
            if (next.compareAndSet(place, moved)) {
                place = moved;
            }
        }
    }

    /** A search by statements that go from group to group and mark the rows. */
    private final class Walk extends Round {

        private final List<@Nullable String> start = at;
        /** Those that it has picked, and that have not got its mark. */
        private final Set<RowKey> unmarked = new LinkedHashSet<>();

        private Call<M> call;
        private boolean isFromFirst;
        /** The group with which it has ended. */
        private List<@Nullable String> end = at;

        Walk(String token, int n, boolean chosen) {
            super(token, n, chosen);
        }

        @Override
        Call<?> ask() {
            Params params = groups.with(groups.with(store.params(token), "group", at), "start", start);
            call = store.marking(marks, params.with("n", n).with("lap", fromFirst ? 1 : 0), this::read);
            unmarked.clear();
            return call;
        }

        private @Nullable M read(ResultSet row) throws SQLException {
            end = groups.read(row);
            isFromFirst = row.getInt("dibs_lap") > 0;
            isAround = row.getBoolean("dibs_around");
            String key = row.getString("dibs_unmarked");
            if (key != null) {
                unmarked.add(table.parse(key));
            }
            return key != null || row.getObject("dibs_at") == null ? null : store.mark(row);
        }

        @Override
        List<ClaimedRow<T>> answered(Steps.Transactions more) throws SqlFailure {
            if (call.rows().isEmpty() && !known.containsAll(unmarked)) {
                // Others may have changed these rows at that moment: the same again, while nobody does.
                Call<RowKey> locked = store.locking(List.copyOf(unmarked));
                more.send(List.of(locked, ask()));
                unmarked.retainAll(call.rows().isEmpty() ? locked.rows() : List.of());
                refused.found(unmarked, List.of());
            }
            passed += MOST_PASSED;
            move(end, isFromFirst, !call.rows().isEmpty());
            try {
                return store.claimed(token, call.rows(), more);
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
        /** Whether it asks why free rows do not get its mark. */
        private boolean suspects;

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
            Statements look = looks.computeIfAbsent(after, PerKeyClaims.this::looking);
            return Call.of(
                            look,
                            "rows_per_key",
                            groups.with(store.params(token), "group", at).with("n", width),
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
            while (claimed.isEmpty() && !found.isEmpty() && (isEnough() || isOver || passed >= MOST_PASSED + n)) {
                List<RowKey> first = found.stream().limit(n).toList();
                first.forEach(found::remove);
                claimed = mark(first, more);
                suspects |= !chosen && claimed.isEmpty() && refused.isSuspected();
                if (claimed.isEmpty() && suspects) {
                    // The same again, with those of them that nobody has locked.
                    Call<RowKey> locked = store.locking(first);
                    claimed = mark(first, calls -> more.send(List.of(locked, calls.get(0))));
                    refused.found(
                            locked.rows(), claimed.stream().map(ClaimedRow::key).toList());
                }
            }
            if (!claimed.isEmpty()) {
                move(at, fromFirst, true);
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
                if (row.free() && row.place() <= groups.most && !known.contains(row.key())) {
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
                    group = KeyGroups.NONE;
                }
            }
            move(group, fromFirst || isPastLast, false);
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

        /** Claims rows: none if others have taken all of these, or the database refuses the mark. */
        private List<ClaimedRow<T>> mark(List<RowKey> rows, Steps.Transactions more) throws SqlFailure {
            begin();
            Call<M> marking = store.marking(marks, table.withKeys(store.params(token), rows), store::mark);
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
            calls.addAll(claim(nobody, 1, chosen).calls());
        }
        if (!atOnce) {
            Params none = table.withKeys(store.params(nobody), List.of());
            calls.add(store.marking(anyTime.bound(), none, store::mark));
            calls.add(store.marking(firstTime.bound(), none, store::mark));
            Pages pages = new Pages(nobody, 1, false);
            for (pages.level = 1; pages.level <= groups.size(); pages.level++) {
                calls.add(pages.look(Collections.nCopies(groups.size(), "")));
            }
        }
        return calls;
    }

    /** Looks for the first and the last group, to begin anywhere between them. */
    @Override
    public void open(Opening opening) {
        if (!atOnce) {
            opening.requireCommittedReads();
        }
        Call<List<@Nullable String>> ends = Call.of(anyTime.bound(), "ends_of_groups", store.params(""), groups::read);
        opening.send("The search for a first group", false, Steps.of(ends, more -> {
            next.set(new KeyGroups.Place(groups.between(ends.rows()), 0));
            return List.of();
        }));
        store.open(opening);
    }
}
