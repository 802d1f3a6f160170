package dev.dibs.contract.locks.acquire;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullTest;
import dev.dibs.fuzz.HostileTexts;
import dev.dibs.tokens.OneTimeTokens;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Any name is either refused before the database is called, or stored exactly. */
class HostileNameContract extends ContractFixture {

    private HostileTexts texts() {
        long seed = System.nanoTime();
        System.out.println(database() + ": the seed of the hostile names is " + seed);
        return new HostileTexts(seed);
    }

    /** By chance, many of them in a row may be refused. */
    private static final int MOST = 3000;

    @FullTest(except = "postgresql")
    void aLocksNameIsRefusedOrKeptExactlyAndTwoOfThemNeverMeet() {
        HostileTexts texts = texts();
        Dibs dibs = closing(builder(pool()).leaseLength(Duration.ofHours(1)).build());
        Map<String, Lease> held = new LinkedHashMap<>();
        String mark = fresh("hostile");
        for (int i = 0; i < 150 || (held.size() <= 50 && i < MOST); i++) {
            String name = texts.next() + (texts.below(2) == 0 ? mark : "");
            if (held.containsKey(name) || !isGood(() -> dibs.lock(name))) {
                continue;
            }
            held.put(name, dibs.lock(name).tryAcquire().orElseThrow(() -> new AssertionError("met: " + name)));
        }
        assertThat(held).hasSizeGreaterThan(50);
        Set<String> missing = new HashSet<>(held.keySet());
        dibs.admin().locks().forEach(lock -> missing.remove(lock.name()));
        assertThat(missing).isEmpty();
        held.values().forEach(Lease::check);
        held.values().forEach(Lease::close);
        assertThat(dibs.admin().locks()).noneMatch(lock -> held.containsKey(lock.name()));
        dibs.admin().checkSchema();
    }

    @Test
    void tokensTakeAnySubjectPurposeAndPayloadOrRefuseThem() {
        HostileTexts texts = texts();
        Dibs dibs = dibs();
        int issued = 0;
        for (int i = 0; i < 60 || (issued <= 10 && i < MOST); i++) {
            String purpose = texts.next();
            String subject = texts.next();
            String payload = texts.next();
            if (!isGood(() -> dibs.tokens(purpose).revokeAll(subject))) {
                continue;
            }
            OneTimeTokens tokens = dibs.tokens(purpose);
            if (isGood(() -> tokens.consume(tokens.issue(subject, Duration.ofMinutes(1), payload)))) {
                issued++;
                var result = tokens.consume(tokens.issue(subject, Duration.ofMinutes(1), payload));
                assertThat(result.isOk()).isTrue();
                assertThat(result.subject()).contains(subject);
                assertThat(result.payload()).contains(payload);
            }
        }
        assertThat(issued).isGreaterThan(10);
        dibs.admin().checkSchema();
    }

    @Test
    void noTableOrColumnNameGetsAnythingElseIntoAStatement() throws Exception {
        HostileTexts texts = texts();
        Dibs dibs = dibs();
        Jobs jobs = jobs(3);
        for (int i = 0; i < 80; i++) {
            String hostile = texts.next();
            int where = texts.below(4);
            assertThatThrownBy(() -> dibs.claims(where == 0 ? hostile : jobs.table())
                            .key(where == 1 ? hostile : "id")
                            .token(where == 2 ? hostile : "request_token")
                            .until(where == 3 ? hostile : "claimed_until")
                            .build()
                            .claim(1))
                    .as("%d: %s", where, hostile)
                    .isInstanceOfAny(IllegalArgumentException.class, DatabaseFailureException.class);
        }
        dibs.admin().checkSchema();
        assertThat(jobs.numbers("SELECT id FROM " + jobs.table() + " ORDER BY id"))
                .containsExactly(1L, 2L, 3L);
        assertThat(jobs.claimed()).isZero();
    }

    /** False if it is refused as a mistake of the caller; any other failure is a defect of Dibs. */
    private static boolean isGood(Runnable call) {
        try {
            call.run();
            return true;
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
            return false;
        }
    }
}
