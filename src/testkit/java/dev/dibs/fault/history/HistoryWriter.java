package dev.dibs.fault.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Writes the operations of one process, a line at a time, so that a kill loses no written line. For any thread. */
public final class HistoryWriter implements AutoCloseable {
    private final String process;
    private final OutputStream file;
    private final TransactionMark witness;
    private final AtomicLong count = new AtomicLong();

    /** The file must be new. */
    public HistoryWriter(Path file, String process, TransactionMark witness) throws IOException {
        this.process = process;
        this.witness = witness;
        // Not a channel, which an interrupt of the writing thread would close for all. Appending, so that lines do not
        // overwrite each other.
        this.file = new FileOutputStream(Files.createFile(file).toFile(), true);
    }

    /** Is notified of finished operations. */
    public interface TransactionMark {
        /** An operation of a thread is OK; it began at that time. */
        void done(int thread, OperationKind kind, long begun);
    }

    /** An operation that is about to begin; finally call {@link Entry#invoke}. */
    public Entry next(int thread, OperationKind kind, String name) {
        return new Entry(thread, process + "/" + thread + "/" + count.incrementAndGet(), kind, name);
    }

    /** The data of an operation. For one thread. */
    public final class Entry {
        private final int thread;
        private final String op;
        private final OperationKind kind;
        private final String name;
        private String hold;
        private Mode mode;
        private Long fence;
        private Long slot;
        private Long deadline;
        private String value;
        private long begun;

        private Entry(int thread, String op, OperationKind kind, String name) {
            this.thread = thread;
            this.op = op;
            this.kind = kind;
            this.name = name;
        }

        public String op() {
            return op;
        }

        public Entry mode(Mode its) {
            mode = its;
            return this;
        }

        public Entry hold(String op, long itsFence) {
            hold = op;
            fence = itsFence;
            return this;
        }

        public Entry claim(String op) {
            hold = op;
            return this;
        }

        public Entry lease(long itsFence, long itsSlot) {
            fence = itsFence;
            slot = itsSlot;
            return this;
        }

        public Entry deadline(long nanos) {
            deadline = nanos;
            return this;
        }

        public Entry value(Object its) {
            value = String.valueOf(its);
            return this;
        }

        public Entry invoke() {
            begun = write(this, OperationState.INVOKE);
            return this;
        }

        public void end(OperationState state) {
            write(this, state);
            if (state == OperationState.OK) {
                witness.done(thread, kind, begun);
            }
        }
    }

    private long write(Entry e, OperationState state) {
        Event event = new Event(
                System.nanoTime(),
                process,
                e.thread,
                e.op,
                state,
                e.kind,
                e.name,
                e.hold,
                e.mode,
                e.fence,
                e.slot,
                e.deadline,
                e.value);
        try {
            file.write((event.toJson() + "\n").getBytes(StandardCharsets.UTF_8));
            return event.at();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
