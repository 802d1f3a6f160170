package dev.dibs.fault.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The operations of all processes. */
public final class History {
    private final Map<String, Operation> operations = new LinkedHashMap<>();
    private final List<String> flaws = new ArrayList<>();

    /** The events of one process must be in the order in which they were written. */
    public History(List<Event> events) {
        events.forEach(this::add);
        of(OperationKind.CRASH).toList().forEach(this::forget);
    }

    private void forget(Operation crash) {
        long from = crash.begun() - Long.parseLong(crash.invoke().value());
        operations.replaceAll((id, operation) -> operation.outcome() != null
                        && operation.kind() != OperationKind.TAMPER
                        && operation.outcome().at() >= from
                        && operation.outcome().at() <= crash.ended()
                        && operation.kind() != OperationKind.CRASH
                ? new Operation(operation.invoke(), null)
                : operation);
    }

    /** Reads one file for each process. A last line without an end was cut off with its process, and is ignored. */
    public static History read(Collection<Path> files) throws IOException {
        List<Event> events = new ArrayList<>();
        for (Path file : files) {
            String text = Files.readString(file, StandardCharsets.UTF_8);
            text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Event::of).forEach(events::add);
        }
        return new History(events);
    }

    private void add(Event event) {
        Operation before = operations.get(event.op());
        if (event.state() == OperationState.INVOKE) {
            if (before != null) {
                flaws.add("invoked twice: " + before);
            }
            operations.put(event.op(), new Operation(event, null));
        } else if (before == null || before.outcome() != null) {
            flaws.add("an outcome that nobody waits for: " + event.toJson());
        } else {
            operations.put(event.op(), new Operation(before.invoke(), event));
        }
    }

    /** The defects of the history itself. */
    List<String> flaws() {
        return flaws;
    }

    Operation get(String op) {
        return operations.get(op);
    }

    Stream<Operation> of(OperationKind kind) {
        return operations.values().stream().filter(operation -> operation.kind() == kind);
    }

    /** How many operations of a kind had that outcome. */
    public long count(OperationKind kind, OperationState state) {
        return of(kind).filter(operation -> operation.is(state)).count();
    }
}
