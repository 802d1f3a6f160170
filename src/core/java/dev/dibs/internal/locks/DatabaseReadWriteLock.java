package dev.dibs.internal.locks;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.ReadWriteLock;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.PlainAcquire;
import dev.dibs.internal.acquire.ReaderRequest;
import dev.dibs.internal.acquire.WriterAcquire;
import dev.dibs.internal.acquire.WriterRequest;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Texts;
import java.time.Duration;

/** A read-write lock by name, and the ways to acquire either side. */
public record DatabaseReadWriteLock(Database database, Acquirer acquirer, String name, Duration lease)
        implements ReadWriteLock {

    @Override
    public Acquirable<Lease> read() {
        return side("read", new PlainAcquire(acquirer, new ReaderRequest(database, name, null)));
    }

    @Override
    public Acquirable<Lease> write() {
        return side("write", new WriterAcquire(acquirer, new WriterRequest(database, name)));
    }

    private Acquirable<Lease> side(String side, Acquiring way) {
        return new Acquisition<Lease>(acquirer, way, lease, Lease.class) {
            @Override
            public String toString() {
                return DatabaseReadWriteLock.this + "." + side + "()";
            }
        };
    }

    @Override
    public Lease downgrade(Lease writer) {
        if (!(Arguments.required("lease", writer) instanceof HeldLease held)
                || held.kind() != LeaseKind.GATE
                || !writer.name().equals(name)) {
            throw new IllegalArgumentException(writer + " is no lease of a writer on '" + name + "'");
        }
        return downgrade(held);
    }

    private Lease downgrade(HeldLease writer) {
        try (writer) {
            writer.check();
            ReaderRequest request = new ReaderRequest(database, name, writer.owner());
            HeldLease reader = new PlainAcquire(acquirer, request)
                    .acquire(Duration.ofMillis(writer.length()), Duration.ZERO)
                    .lease();
            if (reader != null && writer.closeNow()) {
                return reader;
            }
            if (reader != null) {
                // Another writer may have written since.
                reader.close();
            }
            throw new LeaseLostException(
                    name,
                    writer.fencingToken(),
                    "it was over, or its row locked as by a guarded transaction, before it could be made a reader's");
        }
    }

    @Override
    public String toString() {
        return "ReadWriteLock[" + Texts.escape(name) + "]";
    }
}
