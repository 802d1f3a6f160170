package dev.dibs.junit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * An await ends when its condition holds, so its limit is only for failures: on a busy machine ten seconds are soon over. What a stray thread
 * of another test throws does not end it.
 */
public final class PatientAwaits implements LauncherSessionListener {

    /** Called by JUnit. */
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}
