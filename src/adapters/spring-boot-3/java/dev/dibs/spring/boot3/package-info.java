/**
 * The health indicator, whose types have other names in each version of Spring Boot. It is there with the actuator, and a property
 * switches it off:
 *
 * <pre>management.health.dibs.enabled=false</pre>
 */
@NullMarked
package dev.dibs.spring.boot3;

import org.jspecify.annotations.NullMarked;
