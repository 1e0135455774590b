// Prints the h1: of a directory as Go computes it: dirhash DIR PREFIX.
package main

import (
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/dirhash"
)

func main() {
	sum, err := dirhash.HashDir(os.Args[1], os.Args[2], dirhash.Hash1)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(sum)
}
