package dev.dibs.claims;

import java.util.List;

/**
 * What became of rows that were to be changed under a claim.
 *
 * @param done the keys of those that were still ours and are changed
 * @param lost the keys of those that were not: the claim had passed and somebody took them over, or they were released or
 *     deleted by force. Nothing of them was changed
 */
public record ClaimResult(List<RowKey> done, List<RowKey> lost) {

    /** Whether all were still ours. */
    public boolean isComplete() {
        return lost.isEmpty();
    }
}
