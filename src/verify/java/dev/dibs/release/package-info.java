/** Tests of what a release consists of: the modules, their versions and their jars. */
package dev.dibs.release;
