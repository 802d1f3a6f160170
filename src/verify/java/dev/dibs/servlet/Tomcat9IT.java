package dev.dibs.servlet;

/** In Tomcat 9, which has Servlet 4.0. */
class Tomcat9IT extends JavaxContract {

    Tomcat9IT() {
        super(System.getProperty("tomcat9.version"));
    }
}
