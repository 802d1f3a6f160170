package dev.dibs.servlet;

/** In Tomcat 8, which has Servlet 3.1. */
class Tomcat8IT extends JavaxContract {

    Tomcat8IT() {
        super(System.getProperty("tomcat8.version"));
    }
}
