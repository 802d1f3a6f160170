package dev.dibs.claims;

import java.util.List;

/**
 * The outcome of a change to rows under a claim.
 *
 * @param done the keys of the rows that were still ours and are changed
 * @param lost the keys of the rows that were not ours any more, and are not changed. The claim had ended and another claim took
 *     them over, or they were released or deleted by force, or the claim never had them
 */
public record ClaimResult(List<RowKey> done, List<RowKey> lost) {

    /** Whether all were still ours. */
    public boolean isComplete() {
        return lost.isEmpty();
    }
}
