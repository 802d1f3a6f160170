/** Tests of the application. */
package dev.dibs.cdi.quarkus;
