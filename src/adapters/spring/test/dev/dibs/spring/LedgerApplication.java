package dev.dibs.spring;

import dev.dibs.LeaseLostException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application that changes a balance, in this process or in another one. */
@EnableAutoConfiguration
@Import(BetweenLockAndTransaction.class)
class LedgerApplication {

    @Bean
    Ledger byJdbc(JdbcTemplate jdbc) {
        return new Ledger.ByJdbc(jdbc);
    }

    @Bean
    Ledger byJpa() {
        return new Ledger.ByJpa();
    }

    /** With leases that outlast a test. */
    static ConfigurableApplicationContext start(String url, String user, String... settings) {
        return startWith("5m", url, user, settings);
    }

    private static ConfigurableApplicationContext startWith(String lease, String url, String user, String... settings) {
        String[] all = Stream.concat(
                        Stream.of(settings),
                        Stream.of(
                                "--spring.datasource.url=" + url,
                                "--spring.datasource.username=" + user,
                                "--spring.jpa.hibernate.ddl-auto=none",
                                "--dibs.tables=create",
                                "--dibs.lease-length=" + lease))
                .toArray(String[]::new);
        return Applications.startWithJpa(LedgerApplication.class, all);
    }

    /**
     * With leases that a test can wait for. Arguments: url, user, the ledger's bean, the account, and for how long each call lingers, in
     * milliseconds; 0: until a line of input comes. Prints INSIDE in each call and DONE after it, and rests for as long: a lock that is not
     * fair promises nothing to those who wait beside a holder that never does.
     */
    public static void main(String[] arguments) throws Exception {
        int account = Integer.parseInt(arguments[3]);
        long lingering = Long.parseLong(arguments[4]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (ConfigurableApplicationContext application = startWith("2s", arguments[0], arguments[1])) {
            Ledger ledger = application.getBean(arguments[2], Ledger.class);
            while (true) {
                try {
                    ledger.add(account, () -> {
                        System.out.println("INSIDE");
                        if (lingering == 0) {
                            input.readLine();
                        } else {
                            Thread.sleep(lingering);
                        }
                    });
                    System.out.println("DONE");
                } catch (LeaseLostException e) {
                    System.out.println("LOST, since this process stood still");
                }
                Thread.sleep(lingering);
            }
        }
    }
}
