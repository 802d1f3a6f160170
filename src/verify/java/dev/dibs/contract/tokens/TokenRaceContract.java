package dev.dibs.contract.tokens;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
        ExecutorService threads = Executors.newSingleThreadExecutor();
        Connection connection = transaction();
        OneTimeTokens tokens = here().tokens(fresh("waited"));
        for (boolean commits : List.of(true, false)) {
            String token = tokens.issue("ann", TokenContract.TTL);
            assertThat(tokens.consume(connection, token).isOk()).isTrue();
            Future<TokenResult> second = threads.submit((Callable<TokenResult>) () -> tokens.consume(token));
            Thread.sleep(200);
            assertThat(second).isNotDone();
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            assertThat(second.get(1, TimeUnit.MINUTES).status()).isEqualTo(commits ? TokenStatus.USED : TokenStatus.OK);
        }
        threads.shutdown();
    }

    @Test
    void issuedAtOnceForOneSubjectOneIsLive() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (Dibs dibs = dibs()) {
            OneTimeTokens tokens = dibs.tokens(fresh("sole")).onePerSubject();
            List<Future<String>> issuing = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                issuing.add(threads.submit((Callable<String>) () -> tokens.issue("ann", TokenContract.TTL)));
            }
            List<TokenStatus> statuses = new ArrayList<>();
            for (Future<String> token : issuing) {
                statuses.add(tokens.peek(token.get()).status());
            }
            assertThat(tokens.counts().live()).isEqualTo(1);
            assertThat(tokens.counts().revoked()).isEqualTo(59);
            assertThat(statuses).containsOnly(TokenStatus.OK, TokenStatus.REVOKED);
        }
        threads.shutdown();
    }

    @Test
    void issuedAtOnceUnderOneIdItIsOne() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (Dibs dibs = dibs()) {
            OneTimeTokens tokens = dibs.tokens(fresh("same")).pepper(TokenContract.PEPPER);
            for (int round = 0; round < 10; round++) {
                String id = "id-" + round;
                List<Future<String>> issuing = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    issuing.add(
                            threads.submit((Callable<String>) () -> tokens.issue("ann", TokenContract.TTL, null, id)));
                }
                for (Future<String> token : issuing) {
                    assertThat(token.get()).isEqualTo(issuing.get(0).get());
                }
            }
            assertThat(tokens.counts().live()).isEqualTo(10);
        }
        threads.shutdown();
    }
}
