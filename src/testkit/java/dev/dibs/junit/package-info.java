/** What JUnit calls in every run of tests. */
package dev.dibs.junit;
