package dev.dibs.fault;

import dev.dibs.database.GaleraCluster;
import dev.dibs.fault.Fault.Scope;
import dev.dibs.fault.worker.FaultWorkerMain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Three nodes of MariaDB; each worker uses another one, as long as it answers. */
final class GaleraUnderTest extends MysqldUnderTest {
    private final GaleraCluster cluster;

    GaleraUnderTest() {
        this(GaleraCluster.another());
    }

    private GaleraUnderTest(GaleraCluster cluster) {
        super("galera", cluster);
        this.cluster = cluster;
    }

    @Override
    List<Integer> ports() {
        return cluster.ports();
    }

    @Override
    String url(int worker, List<Integer> ports) {
        List<Integer> own = new ArrayList<>(ports);
        Collections.rotate(own, -worker);
        return GaleraCluster.urlAt(own) + "&connectTimeout=2000&socketTimeout=3000";
    }

    @Override
    List<String> options() {
        return List.of("-D" + FaultWorkerMain.DIALECT + "=galera");
    }

    Fault nodeDies() {
        return new Fault("a node dies, and joins again", Scope.SERVER, (setup, worker, length, random) -> {
            int number = 1 + random.nextInt(cluster.ports().size() - 1);
            cluster.killNode(number);
            return () -> cluster.startNode(number);
        });
    }

    Fault quorumIsLost() {
        return new Fault("two nodes die: no quorum", Scope.SERVER, (setup, worker, length, random) -> {
            cluster.killNode(1);
            cluster.killNode(2);
            return () -> {
                cluster.bootstrap(0);
                cluster.startNode(1);
                cluster.startNode(2);
            };
        });
    }

    @Override
    List<Fault> ownFaults() {
        return List.of(nodeDies(), quorumIsLost());
    }

    @Override
    String sessions() {
        return "SELECT p.id, p.time, p.state, p.info FROM information_schema.processlist p";
    }
}
