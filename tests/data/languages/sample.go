// Copyright nobody.

// Package sample does things.
package sample

import (
	"fmt"
	"net/http"
)

const Version = "1"

const (
	First = iota
	Second
)

var a, b = 1, 2

var (
	handler = func(w http.ResponseWriter) {
		fmt.Println(w)
	}
	table = map[string]int{
		"a": 1,
	}
)

// Server serves.
type Server struct {
	Name string
	run  func()
}

type (
	// ID names.
	ID   int
	Pair[K comparable, V any] struct {
		Key K
		Val V
	}
)

type Alias = Server

type Runner interface {
	Run(ctx Context) error
	Stop()
}

// New makes one.
//
// It never fails.
func New(name string) *Server {
	helper := func() int {
		return 1
	}
	_ = helper
	return &Server{Name: name}
}

func (s *Server) Run(
	ctx Context,
) error {
	return nil
}

func (p Pair[K, V]) First() K { return p.Key }

func Map[T, U any](in []T, f func(T) U) []U {
	return nil
}
