package dev.dibs.spring;

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

    static ConfigurableApplicationContext start(String url, String user, String... settings) {
        String[] all = Stream.concat(
                        Stream.of(settings),
                        Stream.of(
                                "--spring.datasource.url=" + url,
                                "--spring.datasource.username=" + user,
                                "--spring.jpa.hibernate.ddl-auto=none",
                                "--dibs.tables=create",
                                "--dibs.lease-length=2s"))
                .toArray(String[]::new);
        return Applications.startWithJpa(LedgerApplication.class, all);
    }

    /**
     * Arguments: url, user, the ledger's bean, the account, and for how long each call lingers, in milliseconds. Prints INSIDE in each call
     * and DONE after it.
     */
    public static void main(String[] arguments) throws Exception {
        int account = Integer.parseInt(arguments[3]);
        long lingering = Long.parseLong(arguments[4]);
        try (ConfigurableApplicationContext application = start(arguments[0], arguments[1])) {
            Ledger ledger = application.getBean(arguments[2], Ledger.class);
            while (true) {
                ledger.add(account, () -> {
                    System.out.println("INSIDE");
                    Thread.sleep(lingering);
                });
                System.out.println("DONE");
            }
        }
    }
}
