package workspace

import "testing"

func makePipe(testing.TB, string) {}
