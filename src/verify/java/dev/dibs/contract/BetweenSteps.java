package dev.dibs.contract;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.SteppedDataSource;
import dev.dibs.database.SteppedDataSource.Meanwhile;

/** Plays a scene once for each point between two steps of what is done in it, until there is no further step. */
final class BetweenSteps implements AutoCloseable {

    /** What the one uses who is stopped. */
    final SteppedDataSource stepped;

    /** What the other one uses: to wait for a lock is an error there. */
    final HikariDataSource impatient;

    /**
     * Two who meet.
     *
     * @param one is stopped between two of its steps, and goes on when the other has come and gone
     * @param other waits for nobody
     * @param check what must be true afterwards
     */
    record Scene(Meanwhile one, Meanwhile other, Meanwhile check) {}

    /** Lays everything down anew. */
    interface Setting {
        Scene scene() throws Exception;
    }

    BetweenSteps(Fixture fixture) {
        stepped = new SteppedDataSource(fixture.pool());
        impatient = fixture.impatient();
    }

    void each(String what, Setting setting) throws Exception {
        int point = 0;
        boolean through = false;
        while (!through) {
            Scene scene = setting.scene();
            stepped.after(point, scene.other());
            try {
                scene.one().happens();
                through = stepped.isThrough();
                scene.check().happens();
            } catch (Exception | AssertionError e) {
                throw new AssertionError(what + ", after " + point + " steps: " + e.getMessage(), e);
            }
            point++;
        }
    }

    @Override
    public void close() {
        impatient.close();
    }
}
