package dev.dibs.fault.history;

import dev.dibs.fault.history.Effects.LedgerRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** After a lock was broken, no holder of an earlier grant commits a guarded write. */
final class BreakRule implements Rule {

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        Map<String, Operation> grants = new HashMap<>();
        history.of(OperationKind.ACQUIRE)
                .filter(acquire ->
                        acquire.is(OperationState.OK) && acquire.invoke().mode() == Mode.LOCK)
                .forEach(acquire -> grants.put(acquire.id(), acquire));
        Map<String, List<Operation>> breaks = history.of(OperationKind.BREAK)
                .filter(by -> by.is(OperationState.OK))
                .collect(Collectors.groupingBy(Operation::name));
        Set<String> written = effects.ledger().stream().map(LedgerRow::op).collect(Collectors.toSet());
        history.of(OperationKind.WRITE)
                .filter(write -> written.contains(write.id()))
                .forEach(write -> {
                    Operation grant = grants.get(write.invoke().hold());
                    if (grant != null) {
                        breaks.getOrDefault(grant.name(), List.of()).stream()
                                .filter(by -> grant.ended() < by.begun() && by.ended() < write.begun())
                                .forEach(by -> broken.add(
                                        "committed after a break: " + write + " under " + grant + ", " + by));
                    }
                });
        return broken;
    }
}
