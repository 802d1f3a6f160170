package reports;

import dev.dibs.Dibs;
import dev.dibs.shedlock.DibsLockProvider;
import java.sql.SQLException;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Two nodes, if it is started twice: each report is written by one of them. */
@Configuration
@EnableScheduling
@EnableSchedulerLock(defaultLockAtMostFor = "PT10M")
public class ReportApplication {

    @Bean(destroyMethod = "close")
    Dibs dibs(DataSource dataSource) {
        Dibs dibs = Dibs.on(dataSource);
        dibs.admin().createSchema();
        return dibs;
    }

    @Bean
    DibsLockProvider lockProvider(Dibs dibs) {
        return new DibsLockProvider(dibs);
    }

    @Bean
    Reports reports(DataSource dataSource, DibsLockProvider locks) throws SQLException {
        return new Reports(dataSource, locks);
    }

    @Bean
    DataSource dataSource() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(System.getProperty("reports.url", "jdbc:h2:async:./reports;AUTO_SERVER=TRUE;WRITE_DELAY=0"));
        return dataSource;
    }

    /** Runs until the process is ended. */
    @SuppressWarnings("resource")
    public static void main(String[] args) throws InterruptedException {
        new AnnotationConfigApplicationContext(ReportApplication.class).registerShutdownHook();
        Thread.currentThread().join();
    }
}
