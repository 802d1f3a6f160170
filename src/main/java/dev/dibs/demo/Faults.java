package dev.dibs.demo;

import dev.dibs.demo.Message.Word;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What goes wrong in the demo, on purpose: one worker is killed, another one paused past its lease. */
final class Faults implements Callable<Void> {

    private static final double KILL_AT = 0.15;
    private static final double PAUSE_AT = 0.45;
    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Crew crew;
    private final Pace pace;
    private final Choice choice;
    private final Store store;
    private final Progress progress;

    Faults(Crew crew, Pace pace, Choice choice, Store store, Progress progress) {
        this.crew = crew;
        this.pace = pace;
        this.choice = choice;
        this.store = store;
        this.progress = progress;
    }

    /** Returns when both are over, or nobody is left to be struck. */
    @Override
    public @Nullable Void call() throws InterruptedException, SQLException, IOException {
        for (WorkerProcess worker : crew.workers()) {
            crew.await(message -> message.is(Word.READY) && message.worker() == worker.number(), START);
        }
        sleepUntil(pace.at(KILL_AT));
        kill();
        if (Pause.isPossible()) {
            sleepUntil(pace.at(PAUSE_AT));
            pause();
        } else {
            progress.event("Nobody is paused: there is no kill -STOP on this system");
        }
        return null;
    }

    private void kill() throws InterruptedException, SQLException {
        Optional<Message> held = crew.holdOne(PATIENCE);
        if (held.isEmpty()) {
            return;
        }
        WorkerProcess victim = crew.worker(held.get().worker());
        long at = System.currentTimeMillis();
        victim.kill();
        progress.struck(victim.number(), "killed");
        progress.event("kill -9 " + victim.pid() + ": " + victim.name() + " is dead; it held " + path(held.get()));
        record("killed", held.get(), at);
        awaitTakeover(held.get(), at, "kill");
    }

    private void pause() throws InterruptedException, SQLException, IOException {
        Optional<Message> held = crew.holdOne(PATIENCE);
        if (held.isEmpty()) {
            return;
        }
        WorkerProcess victim = crew.worker(held.get().worker());
        long at = System.currentTimeMillis();
        Pause pause = Pause.of(victim.pid());
        try (pause) {
            progress.struck(victim.number(), "paused");
            progress.event("kill -STOP " + victim.pid() + ": " + victim.name() + " stands still; it holds "
                    + path(held.get()));
            record("paused", held.get(), at);
            victim.tell(Orders.GO_ON);
            awaitTakeover(held.get(), at, "pause");
        }
        progress.struck(victim.number(), "");
        progress.event("kill -CONT " + victim.pid() + ": " + victim.name() + " goes on and tries to commit");
        awaitRefusal(held.get());
    }

    private void awaitTakeover(Message held, long at, String since) throws InterruptedException {
        Optional<Message> took = crew.await(
                message -> message.is(Word.TOOK)
                        && message.directory() == held.directory()
                        && message.fromFence() == held.fence(),
                PATIENCE);
        if (took.isEmpty()) {
            progress.event("Nobody took over " + path(held) + " within " + PATIENCE.toSeconds() + " s");
            return;
        }
        progress.event(String.format(
                Locale.ROOT,
                "%s took over %s, %.2f s after the %s, %.2f s after the lease had ended",
                WorkerArguments.nameOf(took.get().worker()),
                path(held),
                (System.currentTimeMillis() - at) / 1_000.0,
                since,
                took.get().staleMillis() / 1_000.0));
    }

    private void awaitRefusal(Message held) throws InterruptedException {
        Optional<Message> end = crew.await(
                message -> (message.is(Word.REFUSED) || message.is(Word.DONE))
                        && message.directory() == held.directory()
                        && message.fence() == held.fence(),
                PATIENCE);
        String name = WorkerArguments.nameOf(held.worker());
        if (end.isEmpty()) {
            progress.event(name + " did not come back within " + PATIENCE.toSeconds() + " s");
        } else if (end.get().is(Word.REFUSED)) {
            progress.event("The late write of " + name + " was refused");
        } else {
            progress.event("The late write of " + name + " GOT IN");
        }
    }

    /** The last that the victim said of its lease is what nobody may have contradicted. */
    private void record(String kind, Message held, long at) throws SQLException {
        Message last = crew.last(message -> message.is(Word.HOLDING)
                        && message.worker() == held.worker()
                        && message.fence() == held.fence())
                .orElse(held);
        store.update(
                "add_fault",
                kind,
                WorkerArguments.nameOf(held.worker()),
                held.directory(),
                held.fence(),
                at,
                last.certainUntil());
    }

    private String path(Message message) {
        return choice.path(message.directory());
    }

    private static void sleepUntil(long millis) throws InterruptedException {
        Thread.sleep(Math.max(0, millis - System.currentTimeMillis()));
    }
}
