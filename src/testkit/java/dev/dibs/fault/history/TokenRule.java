package dev.dibs.fault.history;

import dev.dibs.fault.history.Effects.EffectRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Of all callers that try a token, at most one consumes it, and an answer that it was used is true. All tokens were issued before. */
final class TokenRule implements Rule {
    /** The answer for a token that another caller has used. */
    static final String USED = "USED";

    private static final String FORGOTTEN = "UNKNOWN";

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        Set<String> written = effects.effects().stream().map(EffectRow::op).collect(Collectors.toSet());
        Map<String, Long> times = new HashMap<>();
        List<Operation> tries = Stream.concat(
                        history.of(OperationKind.CONSUME), history.of(OperationKind.CONSUME_IN_TRANSACTION))
                .toList();
        Map<String, Long> earliest = new HashMap<>();
        for (Operation consume : tries) {
            boolean joined = consume.kind() == OperationKind.CONSUME_IN_TRANSACTION;
            boolean there = written.contains(consume.id());
            if (joined && consume.is(OperationState.OK) && !there) {
                broken.add("acknowledged, and its effect is not there: " + consume);
            }
            if (there && (!joined || consume.is(OperationState.FAIL))) {
                broken.add("not committed, and its effect is there: " + consume);
            }
            boolean certain = joined ? there : consume.is(OperationState.OK);
            if (certain) {
                times.merge(consume.name(), 1L, Long::sum);
            }
            if (certain || (!joined && consume.is(OperationState.UNKNOWN))) {
                earliest.merge(consume.name(), consume.begun(), Math::min);
            }
        }
        times.forEach((token, count) -> {
            if (count > 1) {
                broken.add("used " + count + " times: " + token);
            }
        });
        tries.stream()
                .filter(consume -> consume.is(OperationState.FAIL)
                        && FORGOTTEN.equals(consume.outcome().value()))
                .forEach(consume -> broken.add("issued, and not known: " + consume));
        tries.stream()
                .filter(consume -> consume.is(OperationState.FAIL)
                        && USED.equals(consume.outcome().value()))
                .filter(consume -> earliest.getOrDefault(consume.name(), Long.MAX_VALUE) > consume.ended())
                .forEach(consume -> broken.add("said to be used, but nobody had: " + consume));
        return broken;
    }
}
