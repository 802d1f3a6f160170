/** An application on Quarkus. */
package dev.dibs.cdi.quarkus;
