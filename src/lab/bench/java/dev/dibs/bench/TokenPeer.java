package dev.dibs.bench;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.authentication.ott.JdbcOneTimeTokenService;
import org.springframework.security.authentication.ott.OneTimeTokenAuthenticationToken;

/** The usual alternative for one-time tokens in a database: Spring Security's, set up by its documentation. */
final class TokenPeer {

    private static final int STOCK = 80_000;

    private final JdbcTemplate jdbc;
    private final JdbcOneTimeTokenService service;
    private final Queue<String> stock = new ConcurrentLinkedQueue<>();
    private final AtomicInteger left = new AtomicInteger();

    /** Creates its table, on a database without it. */
    TokenPeer(DataSource dataSource) {
        jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE one_time_tokens (token_value varchar(36) NOT NULL PRIMARY KEY,"
                + " username varchar(50) NOT NULL, expires_at timestamp NOT NULL)");
        service = new JdbcOneTimeTokenService(jdbc);
    }

    Operation consume() {
        return () -> {
            left.decrementAndGet();
            if (service.consume(new OneTimeTokenAuthenticationToken(stock.remove())) == null) {
                throw new IllegalStateException("The token is not good; the figures would mean nothing");
            }
        };
    }

    /** Adds enough live tokens for a turn. */
    void refill() {
        if (left.get() > STOCK / 2) {
            return;
        }
        Timestamp end = Timestamp.from(Instant.now().plusSeconds(3600));
        while (left.get() < STOCK) {
            List<Object[]> rows = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                String value = UUID.randomUUID().toString();
                rows.add(new Object[] {value, "user@example.com", end});
                stock.add(value);
            }
            int[] unused = jdbc.batchUpdate("INSERT INTO one_time_tokens VALUES (?, ?, ?)", rows);
            left.addAndGet(rows.size());
        }
    }
}
