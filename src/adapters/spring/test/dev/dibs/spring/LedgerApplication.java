package dev.dibs.spring;

import dev.dibs.process.LingeringCall;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application that changes a balance, in this process or in another one. */
@EnableAutoConfiguration
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

    /** {@link LingeringCall}, with leases that a test can wait for. Arguments: url, user, the ledger's bean, the account. */
    public static void main(String[] arguments) throws Exception {
        int account = Integer.parseInt(arguments[3]);
        try (ConfigurableApplicationContext application = startWith("2s", arguments[0], arguments[1])) {
            Ledger ledger = application.getBean(arguments[2], Ledger.class);
            LingeringCall.run(middle -> ledger.add(account, middle::reached));
        }
    }
}
