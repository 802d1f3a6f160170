package dev.dibs.ignite;

import java.nio.file.Path;
import java.util.List;
import org.apache.ignite.Ignite;
import org.apache.ignite.Ignition;
import org.apache.ignite.calcite.CalciteQueryEngineConfiguration;
import org.apache.ignite.configuration.ClientConnectorConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.configuration.SqlConfiguration;
import org.apache.ignite.logger.NullLogger;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;

/** One node of Apache Ignite, whose SQL is Calcite's. */
final class IgniteNode implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int PORT = 27_500;
    private static final int SQL_PORT = 27_800;

    private final Ignite ignite;

    IgniteNode(Path folder) {
        ignite = Ignition.start(new IgniteConfiguration()
                .setLocalHost(HOST)
                .setWorkDirectory(folder.toString())
                .setGridLogger(new NullLogger())
                .setMetricsLogFrequency(0)
                .setDiscoverySpi(new TcpDiscoverySpi()
                        .setLocalPort(PORT)
                        .setIpFinder(new TcpDiscoveryVmIpFinder().setAddresses(List.of(HOST + ":" + PORT))))
                .setClientConnectorConfiguration(
                        new ClientConnectorConfiguration().setHost(HOST).setPort(SQL_PORT))
                .setSqlConfiguration(new SqlConfiguration()
                        .setQueryEnginesConfiguration(new CalciteQueryEngineConfiguration().setDefault(true))));
    }

    String url() {
        return "jdbc:ignite:thin://" + HOST + ":" + SQL_PORT + "," + HOST + ":" + (SQL_PORT + 1);
    }

    @Override
    public void close() {
        ignite.close();
    }
}
