package dev.dibs.fault.history;

import com.google.gson.Gson;

/**
 * One line of a history.
 *
 * <p>The time is {@link System#nanoTime()}. On Linux that is CLOCK_MONOTONIC, which all processes of a machine share, so that events of
 * several processes can be compared. It is read before an INVOKE is written and after an outcome has come: the effect lies between the two.
 *
 * @param at nanoseconds
 * @param process a worker and its incarnation
 * @param op the operation, unique in a history
 * @param hold the ACQUIRE under which it was done, or null
 * @param mode of an ACQUIRE
 * @param slot of a permit
 * @param deadline of a hold: until when its process could be certain of it, as {@code at}
 * @param value other data
 */
public record Event(
        long at,
        String process,
        int thread,
        String op,
        OperationState state,
        OperationKind kind,
        String name,
        String hold,
        Mode mode,
        Long fence,
        Long slot,
        Long deadline,
        String value) {

    private static final Gson GSON = new Gson();

    /** One line, without its end. */
    public String toJson() {
        return GSON.toJson(this);
    }

    static Event of(String json) {
        return GSON.fromJson(json, Event.class);
    }
}
