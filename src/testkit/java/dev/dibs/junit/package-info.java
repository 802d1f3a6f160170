/** What JUnit calls in every run of tests, and after a test that opens something. */
package dev.dibs.junit;
