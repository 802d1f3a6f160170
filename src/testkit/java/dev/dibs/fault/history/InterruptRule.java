package dev.dibs.fault.history;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A call fails because of an interrupt only if it was interrupted itself. */
final class InterruptRule implements Rule {

    @Override
    public List<String> broken(History history, Effects effects) {
        Set<String> interrupted = history.of(OperationKind.INTERRUPT)
                .map(interrupt -> interrupt.invoke().hold())
                .collect(Collectors.toSet());
        return history.of(OperationKind.ACQUIRE)
                .filter(acquire -> acquire.is(OperationState.FAIL)
                        && OperationKind.INTERRUPTED.equals(acquire.outcome().value()))
                .filter(acquire -> !interrupted.contains(acquire.id()))
                .map(acquire -> "failed because of another's interrupt: " + acquire)
                .toList();
    }
}
