// The client requires no module. Its tests and the program in conformance need drivers, and run in GOPATH mode: in a clone, mvn verify
// -Dtest=GoClientTest -Ddibs.full=true.
module dibs.dev/dibs

go 1.19
