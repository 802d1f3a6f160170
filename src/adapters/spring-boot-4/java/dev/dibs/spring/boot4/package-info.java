/** The health indicator, whose types have other names in each version of Spring Boot. */
@NullMarked
package dev.dibs.spring.boot4;

import org.jspecify.annotations.NullMarked;
