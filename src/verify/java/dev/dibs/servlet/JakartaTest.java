package dev.dibs.servlet;

import dev.dibs.process.ChildJvm;
import dev.dibs.servlet.app.WebAppMain;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** In Tomcat 11. */
@Tag("container")
class JakartaTest implements AsyncContract {

    private static WebApplication application;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        application = new WebApplication(ChildJvm.start(WebAppMain.class, directory.toString()));
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Override
    public WebApplication application() {
        return application;
    }
}
