package dev.dibs.contract.tokens;

import static org.awaitility.Awaitility.await;

import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Racers;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.process.ChildJvm;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** However many callers want the same token at the same time, one gets it. */
@Tag("race")
class TokenRaceContract extends Fixture {
    @Test
    @Tag("slow")
    @FullRun(except = "postgresql")
    void sixtyFourThreadsInFourProcessesWantTheSameTokens() throws Exception {
        String purpose = fresh("raced");
        int threads = 16;
        int raced = inFullRun(200, 40);
        Path file = Files.createTempFile("raced", ".txt");
        closing(() -> Files.delete(file));
        OneTimeTokens tokens = here().tokens(purpose);
        List<String> issued = IntStream.range(0, raced)
                .mapToObj(i -> tokens.issue("subject-" + i, TokenContract.TTL))
                .toList();
        Files.write(file, issued);
        int ok = 0;
        int used = 0;
        try (Racers consumers =
                Racers.start(database(), ConsumerMain.class, purpose, file.toString(), String.valueOf(threads))) {
            consumers.send("go");
            for (String end : consumers.end("DONE")) {
                String[] counts = end.split(" ", -1);
                ok += Integer.parseInt(counts[0]);
                used += Integer.parseInt(counts[1]);
            }
        }
        int callers = Racers.COUNT * threads;
        assertThat(ok).isEqualTo(raced);
        assertThat(used).isEqualTo((callers - 1) * raced);
        assertThat(tokens.counts().used()).isEqualTo(raced);
    }

    @FullTest(except = "postgresql")
    void killedBeforeTheAnswerTheSameAttemptIsToldSo() throws Exception {
        assumeCommitsBeforeRead();
        String purpose = fresh("killed");
        OneTimeTokens tokens = here().tokens(purpose);
        String token = tokens.issue("ann", TokenContract.TTL, "payload");
        try (ChildJvm consumer = database().startJvm(ConsumerMain.class, purpose, token, "attempt-1")) {
            await().atMost(Duration.ofMinutes(3)).until(() -> tokens.peek(token).status() == TokenStatus.USED);
            consumer.kill();
            assertThat(consumer.lines()).doesNotContain("ANSWERED");
        }
        TokenResult other = tokens.consume(token, "attempt-2");
        assertThat(other.status()).isEqualTo(TokenStatus.USED);
        assertThat(other.sameAttempt()).isFalse();
        assertThat(other.payload()).isEmpty();
        TokenResult same = tokens.consume(token, "attempt-1");
        assertThat(same.status()).isEqualTo(TokenStatus.USED);
        assertThat(same.sameAttempt()).isTrue();
        assertThat(same.payload()).hasValue("payload");
    }

    /** The second one waits, and gets it if the first one's transaction rolls back. */
    @Test
    void aConsumerThatWaitsForATransactionLearnsItsOutcome() throws Exception {
        Connection connection = transaction();
        OneTimeTokens tokens = here().tokens(fresh("waited"));
        for (boolean commits : List.of(true, false)) {
            String token = tokens.issue("ann", TokenContract.TTL);
            assertThat(tokens.consume(connection, token).isOk()).isTrue();
            CompletableFuture<TokenResult> second = CompletableFuture.supplyAsync(() -> tokens.consume(token));
            Thread.sleep(200);
            assertThat(second).isNotDone();
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            assertThat(second.get(1, TimeUnit.MINUTES).status()).isEqualTo(commits ? TokenStatus.USED : TokenStatus.OK);
        }
    }

    @Test
    void issuedAtOnceForOneSubjectOneIsLive() throws Exception {
        OneTimeTokens tokens = here().tokens(fresh("sole")).onePerSubject();
        Queue<String> issued = new ConcurrentLinkedQueue<>();
        inThreads(6, number -> {
            for (int i = 0; i < 10; i++) {
                issued.add(tokens.issue("ann", TokenContract.TTL));
            }
        });
        assertThat(tokens.counts().live()).isEqualTo(1);
        assertThat(tokens.counts().revoked()).isEqualTo(59);
        assertThat(issued)
                .extracting(token -> tokens.peek(token).status())
                .containsOnly(TokenStatus.OK, TokenStatus.REVOKED);
    }

    @Test
    void issuedAtOnceUnderOneIdItIsOne() throws Exception {
        OneTimeTokens tokens = here().tokens(fresh("same")).pepper(TokenContract.PEPPER);
        for (int round = 0; round < 10; round++) {
            String id = "id-" + round;
            Set<String> issued = ConcurrentHashMap.newKeySet();
            inThreads(6, number -> issued.add(tokens.issue("ann", TokenContract.TTL, null, id)));
            assertThat(issued).hasSize(1);
        }
        assertThat(tokens.counts().live()).isEqualTo(10);
    }
}
