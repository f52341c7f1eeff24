//go:build race

package ui

// raced is true under the race detector, where filling the demo database takes many times as long as all tests here.
const raced = true
