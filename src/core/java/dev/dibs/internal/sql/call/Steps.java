package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One operation as {@link Database#run} sends it: calls in one transaction and, if their answers ask for it, more after its commit.
 *
 * <p>Sent once. For one thread.
 *
 * @param <R> a row of the result
 */
public final class Steps<R> {

    /** What follows the commit of the first transaction. */
    public interface FollowUp<R> {

        List<R> run(Transactions more) throws SqlFailure;
    }

    /** What follows if the answer to the only call has gaps: all rows of the result. */
    public interface Gaps<R> {

        List<R> fill(Call<R> call, Steps<R> steps, Transactions more) throws SqlFailure;
    }

    /** Sends what follows the commit of the first transaction: once, or until it is answered. */
    public interface Sender {
        void send(Send rest) throws SqlFailure;
    }

    /** Sends it once, in one transaction. */
    public interface Send {
        void send() throws SqlFailure;
    }

    /** Sends further calls, each time in one transaction. */
    public interface Transactions {
        void send(List<Call<?>> calls) throws SqlFailure;
    }

    private final List<Call<?>> calls;
    private final @Nullable Supplier<List<Call<?>>> dependent;
    private final @Nullable FollowUp<R> later;
    private Supplier<List<R>> result;
    private @Nullable Term term;
    private @Nullable Gaps<R> gaps;
    private boolean finished;
    private boolean early;

    private Steps(
            List<Call<?>> calls,
            @Nullable Supplier<List<Call<?>>> dependent,
            @Nullable FollowUp<R> later,
            Supplier<List<R>> result) {
        this.calls = calls;
        this.dependent = dependent;
        this.later = later;
        this.result = result;
    }

    /** One call, whose rows are the result. */
    public static <R> Steps<R> of(Call<R> call) {
        return of(List.of(call), call::rows);
    }

    /** The same, and what follows if the answer has gaps. */
    public static <R> Steps<R> of(Call<R> call, Gaps<R> gaps) {
        Steps<R> steps = of(call);
        steps.gaps = gaps;
        return steps;
    }

    /** Calls in one transaction. */
    public static <R> Steps<R> of(List<Call<?>> calls, Supplier<List<R>> result) {
        return new Steps<>(calls, null, null, result);
    }

    /** A call, and what follows when it is committed. */
    public static <R> Steps<R> of(Call<?> first, FollowUp<R> later) {
        return new Steps<>(List.of(first), null, later, List::of);
    }

    /** Several operations, whose first transactions become one. Each of them has its own result. */
    public static Steps<?> together(List<Steps<?>> all) {
        List<Call<?>> calls = new ArrayList<>();
        all.forEach(steps -> calls.addAll(steps.calls));
        return new Steps<>(
                calls,
                null,
                more -> {
                    for (Steps<?> steps : all) {
                        steps.finish(more);
                    }
                    return List.of();
                },
                List::of);
    }

    /** The same with further calls in its one transaction, which depend on its result. */
    public Steps<R> with(Supplier<List<Call<?>>> others) {
        return new Steps<>(calls, others, later, result);
    }

    /** The result, once it has been sent. */
    public List<R> result() {
        return result.get();
    }

    /** So far it has changed nothing: a lease need not count from the time when it was sent. With null it does. */
    public void begin(@Nullable Term later) {
        term = later;
    }

    /** The term that has begun last, or else this one, which began when it was sent. */
    public Term termOr(Term sent) {
        return term == null ? sent : term;
    }

    /** It ends before it has looked at all that could be in its result. */
    public Steps<R> endEarly() {
        early = true;
        return this;
    }

    public boolean hasEndedEarly() {
        return early;
    }

    /** The calls of the first transaction. */
    public List<Call<?>> calls() {
        return calls;
    }

    /** The calls of the first transaction that depend on the answers to the others; null if there are none. */
    @Nullable
    Supplier<List<Call<?>>> dependent() {
        return dependent;
    }

    /** Sends it as part of another operation. */
    public List<R> send(Transactions more) throws SqlFailure {
        more.send(calls);
        finish(more);
        return result();
    }

    /** Whether all of it is done, and its result is known. */
    public boolean isFinished() {
        return finished;
    }

    /** Whether something follows the commit of the first transaction. */
    public boolean hasRest() {
        return later != null || (gaps != null && calls.get(0).hasGaps());
    }

    private boolean changes() {
        return dependent != null || (term == null && calls.stream().anyMatch(Call::changes));
    }

    /**
     * When the first transaction is committed. If a later one fails, the whole is neither done nor undone. But if the first has changed
     * nothing, the failure is that of the whole: only one of the later ones may change anything.
     */
    public void finish(Transactions more) throws SqlFailure {
        try {
            if (later != null) {
                List<R> rows = later.run(more);
                result = () -> rows;
            } else if (gaps != null && calls.get(0).hasGaps()) {
                // The only call is that of the result.
                @SuppressWarnings("unchecked")
                List<R> rows = gaps.fill((Call<R>) calls.get(0), this, more);
                result = () -> rows;
            }
            finished = true;
        } catch (SqlFailure e) {
            throw changes() ? e.partlyCommitted() : e;
        }
    }
}
