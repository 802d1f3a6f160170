package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseKeeper;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The owner tokens of one call that were sent and are never used: the effect of their statements was unknown. One of them may hold the
 * lock now: then the call is in its own way.
 *
 * <p>For one thread.
 */
final class AbandonedTokens {

    private final LeaseKeeper keeper;
    private final Map<String, LeaseRequest> tokens = new LinkedHashMap<>();

    AbandonedTokens(LeaseKeeper keeper) {
        this.keeper = keeper;
    }

    void add(LeaseRequest request, String owner) {
        tokens.put(owner, request);
    }

    /**
     * If the lock is busy, it may be so because of them: releases them, once each. The background does it again, for statements that are
     * still on their way. Returns whether to ask again.
     */
    boolean releaseIfBusy(@Nullable Attempt attempt) {
        if (attempt == null || attempt.lease() != null || tokens.isEmpty()) {
            return false;
        }
        tokens.forEach((owner, request) -> keeper.releaseUnused(request.kind(), request.owners(owner)));
        tokens.clear();
        return true;
    }
}
