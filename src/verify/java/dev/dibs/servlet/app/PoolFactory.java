package dev.dibs.servlet.app;

import java.util.Hashtable;
import javax.naming.Context;
import javax.naming.Name;
import javax.naming.spi.ObjectFactory;
import org.h2.jdbcx.JdbcConnectionPool;

/** In place of a container's own pool. */
public final class PoolFactory implements ObjectFactory {

    private static final int CONNECTIONS = 20;

    @Override
    public Object getObjectInstance(Object reference, Name name, Context context, Hashtable<?, ?> environment) {
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "sa", "");
        pool.setMaxConnections(CONNECTIONS);
        return pool;
    }
}
