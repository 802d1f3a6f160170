package dev.dibs.cli;

import dev.dibs.process.GoProgram;
import dev.dibs.process.GoProgram.Edit;
import java.util.List;

/** Clients in Go that break one rule each, as an edit of the right one, and what finds it. */
final class GoMistakes {

    private static final String OWNER = "((?:\\w\\.)?owner = (?:\\$\\d|\\?))";
    private static final String ANYBODY = "($1 OR 1 = 1)";
    private static final String FOR_EVER = "return sent + length + 1000*time.Hour";
    private static final String END = "return sent + length - longer(20*time.Millisecond, length/100)";

    private static final String NO_ROW = "if row == nil {\n\t\treturn false, nil\n\t}\n\tif row.number(\"is_old\")";

    /** Reads the token, and ends it in a second statement. */
    private static final String READ_FIRST = """
            func (t *Tokens) readFirst(ctx context.Context, given values) (*answer, error) {
            	all, err := t.store.runNamed(ctx, "peek_token", given)
            	if err != nil || all.first() == nil || all.first()["ended"] != nil {
            		return all, err
            	}
            	if _, err := t.store.runNamed(ctx, "consume_token", given); err != nil {
            		return nil, err
            	}
            	all.rows[0]["owner"] = given["owner"]
            	return all, nil
            }

            func digest(\
            """;

    private GoMistakes() {}

    /**
     * A rule that is broken.
     *
     * @param finds checks of {@code dibs conformance}, or a test of the client's own
     */
    record Mistake(String name, List<String> finds, List<Edit> edits) {
        GoProgram program() {
            return GoProgram.broken(name, edits);
        }
    }

    private static Mistake of(String name, List<String> finds, Edit... edits) {
        return new Mistake(name, finds, List.of(edits));
    }

    /** Those that {@code dibs conformance} finds. */
    static final List<Mistake> IN_CONFORMANCE = List.of(
            of(
                    "a token is sent twice",
                    List.of("fresh-tokens", "claim"),
                    Edit.of(
                            "return hex.EncodeToString(b), nil",
                            "return strings.Repeat(\"0123456789abcdef\", 2), nil")),
            of(
                    "a release by the name, without the owner",
                    List.of("release-after-break"),
                    Edit.ofStatement("release_lock", OWNER, ANYBODY)),
            of(
                    "nothing is renewed",
                    List.of("renewal", "claim-renewal"),
                    Edit.of(
                            "newLoop(s.clock, s.renew)",
                            "newLoop(s.clock, func() (time.Duration, bool) { return 0, false })")),
            of(
                    "no deadline",
                    List.of("deadline", "loss-without-database", "claim-loss-without-database"),
                    Edit.of(END, FOR_EVER)),
            of("no margin", List.of("late-grant"), Edit.of(END, "return sent + length")),
            of(
                    "a deadline from the answer",
                    List.of("deadline", "late-renewal", "claim-deadline"),
                    Edit.of("end: end, lost", "end: endOf(s.clock.now(), l.lease), lost"),
                    Edit.of("lease.extend(endOf(sent, length))", "lease.extend(endOf(s.clock.now()+0*sent, length))"),
                    Edit.of("id: id, end: end}", "id: id, end: endOf(s.clock.now(), c.length)}")),
            of(
                    "a guard without its row",
                    List.of("guard-after-break"),
                    Edit.of(
                            "if len(all.rows) == 0 {\n\t\tl.renewAgainAt",
                            "if len(all.rows) < 0 {\n\t\tl.renewAgainAt")),
            of("a guard of any owner", List.of("guard-after-break"), Edit.ofStatement("guard_lock", OWNER, ANYBODY)),
            of(
                    "a guard without an end",
                    List.of("guard-after-the-end"),
                    Edit.ofStatement("guard_lock", "(?:g\\.)?held_until > ", "9999999999999999 > ")),
            of(
                    "a guard over another connection",
                    List.of("guard-to-the-commit"),
                    Edit.of(
                            "s.database.send(ctx, tx, s.statements[\"guard_lock\"].steps,",
                            "s.run(ctx, s.statements[\"guard_lock\"],"),
                    Edit.ofStatement("guard_lock", "@@in_transaction = 1", "TRUE")),
            of(
                    "a guard outside of a transaction",
                    List.of("guard-outside", "claim-outside"),
                    Edit.of("for _, text := range d.ask {", "for _, text := range d.ask[:0] {"),
                    Edit.ofStatement("guard_lock", "@@in_transaction = 1", "TRUE")),
            of(
                    "a lease that is not heeded",
                    List.of("transaction"),
                    Edit.of(
                            "case row.isAhead() || err != nil:\n\t\treturn row, err\n\tcase row != nil",
                            "case err != nil:\n\t\treturn row, err\n\tcase row != nil"),
                    Edit.of(NO_ROW, NO_ROW.replace("return false", "return true"))),
            of(
                    "an expired owner that is left in the row",
                    List.of("transaction"),
                    Edit.of("if row[\"owner\"] != nil {", "if false {")),
            of(
                    "a completion without the token",
                    List.of("claim-fenced"),
                    Edit.ofStatement("complete_rows", "(\\{token\\} = (?:\\$\\d|\\?))", ANYBODY)),
            of(
                    "a completion outside of the transaction",
                    List.of("claim-joined"),
                    Edit.of(
                            "d.send(ctx, tx, c.claims.statements[c.claims.completes].steps,",
                            "c.claims.store.run(ctx, c.claims.statements[c.claims.completes],")),
            of(
                    "rows that a transaction has completed are lost",
                    List.of("claim-joined-long"),
                    Edit.of("row.joined = now", "row.joined = 0 * now")),
            of(
                    "a used token is used again",
                    List.of("tokens"),
                    Edit.ofStatement("consume_token", " AND ended IS NULL", "")),
            of(
                    "a token is read and then ended",
                    List.of("token-lost-answer"),
                    Edit.of("t.repeated(ctx, \"consume_token\",", "t.readFirst(ctx,"),
                    Edit.of("func digest(", READ_FIRST)));

    /** Those that the client's own tests find. */
    static final List<Mistake> IN_ITS_TESTS = List.of(
            of(
                    "the pool sends a statement again",
                    List.of("TestNoTokenIsSentInASecondAcquire"),
                    Edit.of("s.database.send(ctx, conn, steps, given)", "s.database.send(ctx, s.db, steps, given)")),
            of(
                    "an error is told as busy",
                    List.of("TestBusyIsBusyAndNoError"),
                    Edit.of(
                            "is != again && is != duplicate {\n\t\t\t\treturn err",
                            "is != again && is != duplicate {\n\t\t\t\treturn ErrBusy")),
            of(
                    "the clock stands still while the machine sleeps",
                    List.of("TestClockCountsTheTimeAsleepAndNeverGoesBack"),
                    Edit.of("c.asleep += gained", "c.asleep += 0")),
            of(
                    "a lost answer is not looked up",
                    List.of("TestAnAcquireWithoutAnAnswerIsLookedUp"),
                    Edit.of("i < lookUps && ctx.Err() == nil", "false")),
            of(
                    "an abandoned token is not released",
                    List.of(
                            "TestAContextThatEndsBeforeTheAnswerLeavesNoLock",
                            "TestAnAcquireThatLandsAfterTheLookIsReleased"),
                    Edit.of("s.releaseLater(p, l.lease, true)", "_ = p")),
            of(
                    "an abandoned token is released once",
                    List.of("TestAnAcquireThatLandsAfterTheLookIsReleased"),
                    Edit.of(
                            "if err != nil || released || ghost {\n\t\t\treturn err == nil && released",
                            "if err != nil || released || ghost {\n\t\t\treturn true")),
            of(
                    "a look within the transaction",
                    List.of("TestNoCallWithATransactionTakesAnotherConnection"),
                    Edit.of(
                            "is, err := l.guardFree(ctx, tx)",
                            "if _, err := l.look(ctx); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\tis, err := l.guardFree(ctx, tx)")),
            of(
                    "a commit without an answer is taken for an error",
                    List.of("TestACommitWithoutAnAnswerIsUnknown"),
                    Edit.of(
                            "if f.outcome == unknown {\n\t\t\treturn as(ErrUnknownOutcome",
                            "if false {\n\t\t\treturn as(ErrUnknownOutcome")),
            of(
                    "a commit of another transaction",
                    List.of("TestAWorkThatBeginsAnotherTransactionIsNoCommit"),
                    Edit.of("tx.ExecContext(ctx, s.database.mark[1])", "tx.ExecContext(ctx, \"SELECT 1\")")),
            of(
                    "a table of a later protocol is used",
                    List.of("TestATableOfALaterProtocolIsRefused"),
                    Edit.of("if newest > protocol {", "if false {")),
            of(
                    "work that may be done is done again",
                    List.of("TestACommitWithoutAnAnswerIsUnknown"),
                    Edit.of("case begun:", "case begun && err == nil:")));
}
