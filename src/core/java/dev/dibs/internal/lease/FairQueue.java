package dev.dibs.internal.lease;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The places of this instance's waiting callers in the lines for fair locks.
 *
 * <p>Each queues in the {@link WaitingRooms}, and then takes a ticket. Whoever is in front there asks with the first of all tickets
 * that this instance has for the name, and leaves its own to the one who took that: two that come at the same instant may get their
 * tickets in another order than that in which they queue, and would wait for each other.
 */
final class FairQueue {

    private static final Comparator<HeldLease> BY_NUMBER =
            Comparator.comparingLong(HeldLease::fence).thenComparing(HeldLease::owner);

    /** Guards the lines and the tickets of the places in them. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<LeaseName, List<Place>> lines = new HashMap<>();

    /** Where tickets are had. */
    interface TicketSource {
        /** Asks for a new one; without a lease if there is none. */
        Attempt ask(LeaseRequest forTicket) throws InterruptedException;
    }

    /** Takes a place in the line. Close it when done, with the lock or without. */
    Place enter(LeaseRequest request, TicketSource source) throws InterruptedException {
        Place place = new Place(request, source);
        LeaseRequest forTicket = request.forTicket();
        if (forTicket != null) {
            place.renew(forTicket);
            add(place);
        }
        return place;
    }

    private void add(Place place) {
        lock.lock();
        try {
            lines.computeIfAbsent(place.request.id(), id -> new ArrayList<>()).add(place);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the ticket that is left to it. */
    private @Nullable HeldLease remove(Place place) {
        lock.lock();
        try {
            lines.computeIfPresent(place.request.id(), (id, line) -> {
                line.remove(place);
                return line.isEmpty() ? null : line;
            });
            return place.ticket;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the one that it had. */
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

    /** Gives it the first ticket of its line, and its own to the one who had that. */
    private @Nullable HeldLease swapForFirst(Place place) {
        lock.lock();
        try {
            Place first = place;
            for (Place other : lines.getOrDefault(place.request.id(), List.of())) {
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

    /** One caller's place. For one thread, but for its ticket. */
    final class Place implements AutoCloseable {

        private final LeaseRequest request;
        private final TicketSource source;
        private @Nullable HeldLease ticket;

        private Place(LeaseRequest request, TicketSource source) {
            this.request = request;
            this.source = source;
        }

        /** How to ask now, for the one in front. */
        LeaseRequest next() throws InterruptedException {
            LeaseRequest forTicket = request.forTicket();
            if (forTicket == null) {
                return request;
            }
            renew(forTicket);
            return request.with(swapForFirst(this));
        }

        /** A ticket that has passed, as in an outage, has lost its place. */
        private void renew(LeaseRequest forTicket) throws InterruptedException {
            if (!hasValid(this)) {
                close(give(this, source.ask(forTicket).lease()));
            }
        }

        private boolean isBefore(Place other) {
            if (ticket == null || !ticket.isValid()) {
                return false;
            }
            return other.ticket == null || BY_NUMBER.compare(ticket, other.ticket) < 0;
        }

        @Override
        public void close() {
            close(remove(this));
        }

        private static void close(@Nullable HeldLease ticket) {
            if (ticket != null) {
                ticket.close();
            }
        }
    }
}
