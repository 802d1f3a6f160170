package dev.dibs.internal.fair;

import dev.dibs.internal.acquire.AcquireLoop;
import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.time.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The places of this instance's waiting callers in the queues for fair locks.
 *
 * <p>A caller first waits in the waiting room of its JVM, and then takes a ticket. The caller in front of the room asks with the
 * first ticket that this instance has for the name. It swaps its own ticket for that one. The swap is needed because two callers at
 * the same instant may get their tickets in another order than that of the room. Without it they would wait for each other.
 */
public final class FairQueue {

    /** How long the place of a caller is kept after its process has vanished. */
    private static final long LONGEST_TICKET_MILLIS = 10_000;

    private static final Comparator<HeldLease> BY_NUMBER =
            Comparator.comparingLong(HeldLease::fencingToken).thenComparing(HeldLease::owner);

    /** Guards the queues and the tickets of the places in them. */
    private final Mutex lock = new Mutex();

    private final Map<String, List<QueueEntry>> queues = new HashMap<>();
    private final Acquirer acquirer;

    public FairQueue(Acquirer acquirer) {
        this.acquirer = acquirer;
    }

    /** The way to acquire a lock in turn. */
    public Acquiring inTurn(LockRequest lock) {
        return new InTurn(this, lock);
    }

    private AcquireLoop.QueueTurn enter(LockRequest request, AcquireLoop loop, long lease) throws InterruptedException {
        QueueEntry entry = new QueueEntry(request, loop, lease);
        entry.renew();
        boolean unused = locked(() -> queues.computeIfAbsent(request.name(), name -> new ArrayList<>())
                .add(entry));
        return entry;
    }

    private <T extends @Nullable Object> T locked(Supplier<T> change) {
        try (Mutex.Held unused = lock.hold()) {
            return change.get();
        }
    }

    /** Returns the ticket that the entry has at the end. */
    private @Nullable HeldLease remove(QueueEntry entry) {
        return locked(() -> {
            queues.computeIfPresent(entry.request.name(), (name, queue) -> {
                queue.remove(entry);
                return queue.isEmpty() ? null : queue;
            });
            return entry.ticket;
        });
    }

    /** Returns its former ticket. */
    private @Nullable HeldLease give(QueueEntry entry, @Nullable HeldLease ticket) {
        return locked(() -> {
            HeldLease before = entry.ticket;
            entry.ticket = ticket;
            return before;
        });
    }

    /** Gives this entry the first ticket of its queue, and this entry's ticket to the entry that had the first one. */
    private @Nullable HeldLease swapForFirst(QueueEntry entry) {
        return locked(() -> {
            QueueEntry first = entry;
            for (QueueEntry other : queues.getOrDefault(entry.request.name(), List.of())) {
                if (other.isBefore(first)) {
                    first = other;
                }
            }
            HeldLease own = entry.ticket;
            entry.ticket = first.ticket;
            first.ticket = own;
            return entry.ticket;
        });
    }

    /** Asks only if nobody waits, or by its place in the queue. */
    private record InTurn(FairQueue queue, LockRequest request) implements Acquiring {

        @Override
        public AcquireOutcome acquire(Duration lease, Duration wait) {
            AcquireLoop loop = queue.acquirer.loop(request, lease, wait);
            try {
                AcquireOutcome attempt = loop.ask(new FairRequest(request, null), lease.toMillis(), AcquireLoop.ALWAYS);
                return loop.finish(attempt, () -> queue.enter(request, loop, lease.toMillis()));
            } catch (InterruptedException | RuntimeException | Error e) {
                throw loop.failed(e);
            }
        }
    }

    /** The request for a place in the queue: a lease without events for listeners. */
    private record TicketRequest(String name) implements LeaseRequest {

        @Override
        public LeaseKind kind() {
            return LeaseKind.TICKET;
        }

        @Override
        public @Nullable AcquireOutcome look(Database database) {
            return null;
        }
    }

    /** One caller's place. For one thread, except its ticket. */
    private final class QueueEntry implements AcquireLoop.QueueTurn {

        private final LockRequest request;
        private final AcquireLoop loop;
        private final long lease;
        private @Nullable HeldLease ticket;

        QueueEntry(LockRequest request, AcquireLoop loop, long lease) {
            this.request = request;
            this.loop = loop;
            this.lease = lease;
        }

        @Override
        public AcquireOutcome ask() throws InterruptedException {
            renew();
            return loop.ask(new FairRequest(request, swapForFirst(this)), lease, AcquireLoop.ALWAYS);
        }

        /** A ticket that has ended by time, as in an outage, has lost its entry. */
        void renew() throws InterruptedException {
            if (!locked(this::hasValidTicket)) {
                LeaseRequest ticket = new TicketRequest(request.name());
                long most = Math.min(lease, LONGEST_TICKET_MILLIS);
                end(give(this, loop.ask(ticket, most, AcquireLoop.IF_BUSY).lease()));
            }
        }

        private boolean hasValidTicket() {
            return ticket != null && ticket.isValid();
        }

        boolean isBefore(QueueEntry other) {
            return hasValidTicket() && (other.ticket == null || BY_NUMBER.compare(ticket, other.ticket) < 0);
        }

        @Override
        public void close() {
            end(remove(this));
        }

        private static void end(@Nullable HeldLease ticket) {
            if (ticket != null) {
                ticket.close();
            }
        }
    }
}
