/** What JUnit calls in every run of tests, and after a test that opens something; the threads of a test. */
package dev.dibs.junit;
