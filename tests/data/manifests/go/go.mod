module example.invalid/kiosk

go 1.99

require (
	github.com/spf13/cobra v1.8.0
	github.com/cespare/xxhash/v2 v2.2.0 // indirect
	golang.org/x/text v0.14.0
)

require github.com/lib/pq v1.10.9

replace github.com/lib/pq => ../pq
