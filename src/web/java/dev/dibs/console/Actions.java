package dev.dibs.console;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.LeaseInfo;
import dev.dibs.runs.Run;
import dev.dibs.text.OneLine;
import dev.dibs.text.RunNumbers;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** The actions of the buttons. Each is written to the log {@code dev.dibs.console}, with its visitor. */
final class Actions {

    /** The paths of the actions. */
    static final Set<String> ALL = Set.of("break", "again", "pause", "resume", "stop", "set", "retry");

    private static final System.Logger LOG = System.getLogger("dev.dibs.console");

    private static final Message NO_ANSWER =
            new Message(false, "Not done: the database does not answer. Press again when it does");

    private static final Message NOT_KNOWN = new Message(
            false,
            "It is unknown yet whether this is done: the database has not answered in time. Look at this page again"
                    + " in a moment");

    private final Snapshot snapshot;

    Actions(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** The outcome of an action, and the page to show next. */
    record Done(Message message, String page) {}

    /**
     * Takes no longer than a visitor waits. If the database does not answer, the action does not begin, and is not done later
     * either.
     */
    Done press(PageRequest pageRequest) {
        Message message = message(pageRequest);
        log(pageRequest, message);
        return new Done(message, next(pageRequest));
    }

    private Message message(PageRequest pageRequest) {
        Pressed pressed = new Pressed();
        CompletableFuture<Message> outcome;
        try {
            outcome = CompletableFuture.supplyAsync(() -> tried(pageRequest, pressed), snapshot::execute);
        } catch (RejectedExecutionException e) {
            return NO_ANSWER;
        }
        try {
            return outcome.get(snapshot.patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return late(pressed, outcome);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return late(pressed, outcome);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static Message late(Pressed pressed, CompletableFuture<Message> outcome) {
        if (pressed.giveUp()) {
            return NO_ANSWER;
        }
        return pressed.leave() ? NOT_KNOWN : outcome.join();
    }

    /** The progress of an action, shared by the thread that does it and the thread that waits for it. */
    private static final class Pressed {

        private enum At {
            BEFORE,
            AT_IT,
            GIVEN_UP,
            LEFT,
            DONE
        }

        private final AtomicReference<At> at = new AtomicReference<>(At.BEFORE);

        /** Returns false if the visitor has stopped waiting: then the action must not be done. */
        boolean begin() {
            return at.compareAndSet(At.BEFORE, At.AT_IT);
        }

        /** Returns false if the visitor has stopped waiting: then the outcome is only in the log. */
        boolean end() {
            return at.compareAndSet(At.AT_IT, At.DONE);
        }

        /** Returns false if the action has begun. */
        boolean giveUp() {
            return at.compareAndSet(At.BEFORE, At.GIVEN_UP);
        }

        /** Returns false if there is an outcome. */
        boolean leave() {
            return at.compareAndSet(At.AT_IT, At.LEFT);
        }
    }

    private Message tried(PageRequest pageRequest, Pressed pressed) {
        try {
            // A pool without a free connection may take longer to fail than a visitor waits.
            snapshot.dibs().admin().database();
        } catch (DibsException | IllegalStateException e) {
            return notDone(e);
        }
        if (!pressed.begin()) {
            return NO_ANSWER;
        }
        Message message = tried(pageRequest);
        if (!pressed.end()) {
            log(pageRequest, message);
        }
        return message;
    }

    private static Message notDone(RuntimeException e) {
        return new Message(false, "Not done: " + text(e));
    }

    private static String text(RuntimeException e) {
        return Format.message(Format.masked(String.valueOf(e.getMessage())));
    }

    /** After a lost answer it may be done all the same. The message says so. */
    private Message tried(PageRequest pageRequest) {
        try {
            return new Message(true, Format.text(done(pageRequest)));
        } catch (DatabaseFailureException e) {
            return new Message(false, "Not confirmed: " + text(e));
        } catch (DibsException | IllegalArgumentException | IllegalStateException e) {
            return notDone(e);
        } finally {
            outdate(pageRequest);
        }
    }

    /** Logs a request that was refused without a try. */
    static void refuse(PageRequest pageRequest, String why) {
        log(Level.WARNING, pageRequest, "refused: " + why);
    }

    private static void log(PageRequest pageRequest, Message message) {
        log(message.good() ? Level.INFO : Level.WARNING, pageRequest, message.text());
    }

    private static void log(Level level, PageRequest pageRequest, String outcome) {
        String who = (pageRequest.who().user().isEmpty()
                        ? "nobody"
                        : pageRequest.who().user()) + " at " + pageRequest.who().address();
        String what = pageRequest.page() + (pageRequest.param("kind").isEmpty() ? "" : " " + pageRequest.param("kind"))
                + " '" + pageRequest.param("name") + "'";
        LOG.log(level, OneLine.escape(who + ": " + what + ": " + outcome));
    }

    private static String next(PageRequest pageRequest) {
        return switch (pageRequest.page()) {
            case "break" -> "locks";
            case "again" -> "onces";
            default -> "run?name=" + Format.query(pageRequest.param("name"));
        };
    }

    private void outdate(PageRequest pageRequest) {
        switch (pageRequest.page()) {
            case "break" -> snapshot.holders().outdate();
            case "again" -> snapshot.onces().outdate();
            default -> {
                snapshot.runs().outdate();
                snapshot.outdateDetail(pageRequest.param("name"));
            }
        }
    }

    private String done(PageRequest pageRequest) {
        Dibs dibs = snapshot.dibs();
        String name = pageRequest.param("name");
        return switch (pageRequest.page()) {
            case "break" -> broken(dibs, pageRequest, name);
            case "again" ->
                dibs.once(name).forget()
                        ? "'" + name + "' is due: the next caller does it"
                        : "Nothing to forget: '" + name + "' is running now, or does not exist";
            case "pause" -> {
                dibs.run(name).pause(reason(pageRequest));
                yield "'" + name + "' is paused: its workers wait, from their next batch on";
            }
            case "resume" -> {
                dibs.run(name).resume(reason(pageRequest));
                yield "'" + name + "' is running again";
            }
            case "stop" -> {
                dibs.run(name).stop(reason(pageRequest));
                yield "'" + name + "' is stopped: its workers end, each after its current batch";
            }
            case "set" -> RunSettings.set(dibs.run(name), pageRequest);
            default -> retry(dibs.run(name));
        };
    }

    /** The database records the server's instance as the author, so the reason names the visitor. */
    private static String reason(PageRequest pageRequest) {
        String why = pageRequest.field("reason");
        String by = "("
                + (pageRequest.who().user().isEmpty()
                        ? "somebody"
                        : pageRequest.who().user()) + " on the console)";
        return why.isEmpty() ? by : why.substring(0, Math.min(why.length(), 800)) + " " + by;
    }

    private static String broken(Dibs dibs, PageRequest pageRequest, String name) {
        LeaseInfo.Kind kind = kind(pageRequest.param("kind"));
        String fence = pageRequest.field("fence");
        List<LeaseInfo> broken = fence.isEmpty() ? breakAll(dibs, name, kind) : breakOne(dibs, name, kind, fence);
        List<String> before = broken.stream().map(LeaseInfo::holder).toList();
        return before.isEmpty()
                ? "Nobody has '" + name + "'"
                : "Broken: '" + name + "' (" + kind.name().toLowerCase(Locale.ROOT) + ") was held by "
                        + before.stream().distinct().limit(5).collect(Collectors.joining(", "))
                        + (before.size() > 5 ? " and others, " + before.size() + " in all" : "");
    }

    private static List<LeaseInfo> breakAll(Dibs dibs, String name, LeaseInfo.Kind kind) {
        return kind == LeaseInfo.Kind.LOCK
                ? dibs.admin().breakLock(name).stream().toList()
                : dibs.admin().breakLeases(name, kind);
    }

    /** The one that the page showed. Another caller may have acquired it since, even at this instant. */
    private static List<LeaseInfo> breakOne(Dibs dibs, String name, LeaseInfo.Kind kind, String fence) {
        List<LeaseInfo> now = dibs.admin().allLeases().stream()
                .filter(holder -> holder.kind() == kind && holder.name().equals(name))
                .toList();
        List<LeaseInfo> broken = now.stream()
                .filter(holder -> Long.toString(holder.fencingToken()).equals(fence))
                .filter(dibs.admin()::breakLease)
                .toList();
        if (broken.isEmpty()) {
            throw new IllegalStateException("'" + name + "' is no longer held by the holder that the page showed"
                    + (now.isEmpty() ? "" : "; look again who has it"));
        }
        return broken;
    }

    private static LeaseInfo.Kind kind(String word) {
        for (LeaseInfo.Kind kind : LeaseInfo.Kind.values()) {
            if (kind.name().toLowerCase(Locale.ROOT).equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no such kind");
    }

    private static String retry(Run run) {
        long rows = run.retryDead();
        return rows == 0
                ? "No row is dead"
                : RunNumbers.rows(rows) + " will be tried again, by the next worker that has no work or starts";
    }
}
