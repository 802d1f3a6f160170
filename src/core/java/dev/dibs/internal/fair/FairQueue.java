package dev.dibs.internal.fair;

import dev.dibs.internal.acquire.AcquireLoop;
import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.lease.HeldLease;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
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
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, List<Place>> queues = new HashMap<>();
    private final Acquirer acquirer;

    public FairQueue(Acquirer acquirer) {
        this.acquirer = acquirer;
    }

    /** The way to acquire a lock in turn. */
    public Acquiring inTurn(LockRequest lock) {
        return new FairAcquire(acquirer, this, lock);
    }

    AcquireLoop.QueueTurn enter(LockRequest request, AcquireLoop caller, long lease) throws InterruptedException {
        Place place = new Place(request, caller, lease);
        place.renew();
        boolean unused = locked(() -> queues.computeIfAbsent(request.name(), name -> new ArrayList<>())
                .add(place));
        return place;
    }

    private <T extends @Nullable Object> T locked(Supplier<T> change) {
        lock.lock();
        try {
            return change.get();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the ticket that the place has at the end. */
    private @Nullable HeldLease remove(Place place) {
        return locked(() -> {
            queues.computeIfPresent(place.request.name(), (name, queue) -> {
                queue.remove(place);
                return queue.isEmpty() ? null : queue;
            });
            return place.ticket;
        });
    }

    /** Returns its former ticket. */
    private @Nullable HeldLease give(Place place, @Nullable HeldLease ticket) {
        return locked(() -> {
            HeldLease before = place.ticket;
            place.ticket = ticket;
            return before;
        });
    }

    /** Gives this place the first ticket of its queue, and this place's ticket to the place that had the first one. */
    private @Nullable HeldLease swapForFirst(Place place) {
        return locked(() -> {
            Place first = place;
            for (Place other : queues.getOrDefault(place.request.name(), List.of())) {
                if (other.isBefore(first)) {
                    first = other;
                }
            }
            HeldLease own = place.ticket;
            place.ticket = first.ticket;
            first.ticket = own;
            return place.ticket;
        });
    }

    /** One caller's place. For one thread, except its ticket. */
    private final class Place implements AcquireLoop.QueueTurn {

        private final LockRequest request;
        private final AcquireLoop caller;
        private final long lease;
        private @Nullable HeldLease ticket;

        Place(LockRequest request, AcquireLoop caller, long lease) {
            this.request = request;
            this.caller = caller;
            this.lease = lease;
        }

        @Override
        public AcquireOutcome ask() throws InterruptedException {
            renew();
            return caller.ask(new FairRequest(request, swapForFirst(this)), lease, AcquireLoop.ALWAYS);
        }

        /** A ticket that has ended by time, as in an outage, has lost its place. */
        void renew() throws InterruptedException {
            if (!locked(this::hasValidTicket)) {
                LeaseRequest ticket = new TicketRequest(request.database(), request.name());
                end(give(
                        this,
                        caller.ask(ticket, Math.min(lease, LONGEST_TICKET_MILLIS), AcquireLoop.IF_BUSY)
                                .lease()));
            }
        }

        private boolean hasValidTicket() {
            return ticket != null && ticket.isValid();
        }

        boolean isBefore(Place other) {
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
