/** Applications on each version of Spring Boot. */
package dev.dibs.spring;
