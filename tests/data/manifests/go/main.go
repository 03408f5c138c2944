package main

import (
	"fmt"

	"github.com/spf13/cobra"
	_ "github.com/lib/pq"
	"example.invalid/kiosk/menu"
)

func main() { fmt.Println(cobra.Command{}, menu.All) }
