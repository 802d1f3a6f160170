package dev.dibs.contract.support;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.SteppedDataSource;
import dev.dibs.database.SteppedDataSource.Meanwhile;

/** Plays a scene once for each point between two steps of its first caller, until there is no further step. */
public final class BetweenSteps implements AutoCloseable {

    /** The connections of the caller that is stopped. */
    public final SteppedDataSource stepped;

    /** The connections of the other caller: a wait for a lock is an error there. */
    public final HikariDataSource impatient;

    /**
     * Two callers that meet.
     *
     * @param one is stopped between two of its steps, and goes on when the other has finished
     * @param other waits for no lock
     * @param check the condition that must hold afterwards
     */
    public record Scene(Meanwhile one, Meanwhile other, Meanwhile check) {}

    /** Restores the initial state. */
    public interface Setting {
        Scene scene() throws Exception;
    }

    public BetweenSteps(Fixture fixture) {
        stepped = new SteppedDataSource(fixture.pool());
        impatient = fixture.impatient();
    }

    public void each(String what, Setting setting) throws Exception {
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
