module dibs.dev/dibs

go 1.19
