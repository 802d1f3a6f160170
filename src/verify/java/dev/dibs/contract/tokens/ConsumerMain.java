package dev.dibs.contract.tokens;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.process.ChildPool;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Another process that consumes tokens. */
public final class ConsumerMain {

    private static final Map<TokenStatus, AtomicInteger> COUNTS = new EnumMap<>(TokenStatus.class);

    private ConsumerMain() {}

    /**
     * Arguments: url, user, password, purpose; then either a file of tokens and a number of threads, each of which consumes all of them, or
     * a token and an attempt, whose result this process never learns.
     */
    public static void main(String[] args) throws Exception {
        try (HikariDataSource pool = ChildPool.open(args, 8)) {
            FaultyDataSource faulty = new FaultyDataSource(pool);
            try (Dibs dibs = Dibs.on(faulty)) {
                OneTimeTokens tokens = dibs.tokens(args[3]);
                if (Files.exists(Path.of(args[4]))) {
                    race(tokens, Files.readAllLines(Path.of(args[4])), Integer.parseInt(args[5]));
                } else {
                    faulty.on(sql -> sql.contains("'used'")).delayAfter(Duration.ofMinutes(5));
                    tokens.consume(args[4], args[5]);
                    System.out.println("ANSWERED");
                }
            }
        }
    }

    private static void race(OneTimeTokens tokens, List<String> all, int count) throws Exception {
        for (TokenStatus status : TokenStatus.values()) {
            COUNTS.put(status, new AtomicInteger());
        }
        System.out.println("READY");
        if (System.in.read() < 0) {
            return;
        }
        ExecutorService threads = Executors.newFixedThreadPool(count);
        for (int i = 0; i < count; i++) {
            threads.execute(() -> all.forEach(
                    token -> COUNTS.get(tokens.consume(token).status()).incrementAndGet()));
        }
        threads.shutdown();
        threads.awaitTermination(5, TimeUnit.MINUTES);
        System.out.println("DONE " + COUNTS.get(TokenStatus.OK) + " " + COUNTS.get(TokenStatus.USED));
    }
}
