package dev.dibs.internal.fair;

import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
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

    private final Map<LeaseName, List<Place>> queues = new HashMap<>();

    /** The request for a lock as one that waits for its turn. */
    public LeaseRequest inTurn(LockRequest request) {
        return new FairRequest(this, request, null);
    }

    LeaseRequest.Place enter(FairRequest request, long lease, LeaseRequest.Asker asker) throws InterruptedException {
        Place place = new Place(request, Math.min(lease, LONGEST_TICKET_MILLIS), asker);
        place.renew();
        add(place);
        return place;
    }

    private void add(Place place) {
        lock.lock();
        try {
            queues.computeIfAbsent(place.request.id(), id -> new ArrayList<>()).add(place);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the ticket that the place has at the end. */
    private @Nullable HeldLease remove(Place place) {
        lock.lock();
        try {
            queues.computeIfPresent(place.request.id(), (id, queue) -> {
                queue.remove(place);
                return queue.isEmpty() ? null : queue;
            });
            return place.ticket;
        } finally {
            lock.unlock();
        }
    }

    /** Returns its former ticket. */
    private @Nullable HeldLease give(Place place, @Nullable HeldLease ticket) {
        lock.lock();
        try {
            HeldLease before = place.ticket;
            place.ticket = ticket;
            return before;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasValid(Place place) {
        lock.lock();
        try {
            return place.ticket != null && place.ticket.isValid();
        } finally {
            lock.unlock();
        }
    }

    /** Gives this place the first ticket of its queue, and this place's ticket to the place that had the first one. */
    private @Nullable HeldLease swapForFirst(Place place) {
        lock.lock();
        try {
            Place first = place;
            for (Place other : queues.getOrDefault(place.request.id(), List.of())) {
                if (other.isBefore(first)) {
                    first = other;
                }
            }
            HeldLease own = place.ticket;
            place.ticket = first.ticket;
            first.ticket = own;
            return place.ticket;
        } finally {
            lock.unlock();
        }
    }

    /** One caller's place. For one thread, except its ticket. */
    private final class Place implements LeaseRequest.Place {

        private final FairRequest request;
        private final long length;
        private final LeaseRequest.Asker asker;
        private @Nullable HeldLease ticket;

        Place(FairRequest request, long length, LeaseRequest.Asker asker) {
            this.request = request;
            this.length = length;
            this.asker = asker;
        }

        @Override
        public LeaseRequest next() throws InterruptedException {
            renew();
            return request.with(swapForFirst(this));
        }

        /** A ticket that has ended by time, as in an outage, has lost its place. */
        void renew() throws InterruptedException {
            if (!hasValid(this)) {
                end(give(this, asker.ask(request.forTicket(), length).lease()));
            }
        }

        boolean isBefore(Place other) {
            if (ticket == null || !ticket.isValid()) {
                return false;
            }
            return other.ticket == null || BY_NUMBER.compare(ticket, other.ticket) < 0;
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
