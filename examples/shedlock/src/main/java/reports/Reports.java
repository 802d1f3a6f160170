package reports;

import dev.dibs.TimedLease;
import dev.dibs.shedlock.DibsLockProvider;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.scheduling.annotation.Scheduled;

/** Writes a report every two seconds. */
public class Reports {

    private final DataSource dataSource;
    private final DibsLockProvider locks;

    public Reports(DataSource dataSource, DibsLockProvider locks) throws SQLException {
        this.dataSource = dataSource;
        this.locks = locks;
        try (Connection connection = dataSource.getConnection();
                Statement create = connection.createStatement()) {
            create.execute("CREATE TABLE IF NOT EXISTS report (number int PRIMARY KEY, fence bigint)");
        }
    }

    @Scheduled(fixedRateString = "${reports.every:PT2S}")
    @SchedulerLock(name = "report", lockAtMostFor = "PT1M")
    public void write() throws SQLException {
        TimedLease lease = locks.lease("report").orElseThrow();
        lease.inTransaction(dataSource, connection -> {
            // Nobody else has the lock before this is committed, however long it takes.
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO report SELECT coalesce(max(number), 0) + 1, ? FROM report")) {
                insert.setLong(1, lease.fencingToken());
                insert.executeUpdate();
            }
        });
    }
}
