//go:build linux

// Package kills ends the built program with SIGKILL at random moments, and checks what is on disk. It has tests only.
//
//	world    a data folder in which the program is started and killed again and again, each time going on from the last
//	life     one start of the program: the lines that it is fed, and the strikes that end it or its kernel process
//	account  what the logs of a world say: which steps the globals hold, which mutations were begun
//
// Each script that is fed is a step with a number, which it adds to the globals in several places, so that globals
// that hold half of a step show. The first line of each life prints the globals. Without ALMANAC_E2E, the path of the
// program, nothing runs: see make kills.
package kills

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// kills in one world; then a new one begins.
const perWorld = 20

// TestKills needs ALMANAC_E2E, the path of the program. ALMANAC_KILLS is how many times it is killed, SEED repeats the
// choices of a run.
func TestKills(t *testing.T) {
	program := os.Getenv("ALMANAC_E2E")
	if program == "" {
		t.Skip("ALMANAC_E2E names no program: make kills")
	}
	kills, seed := number(t, "ALMANAC_KILLS", perWorld), number(t, "SEED", 0)
	if seed == 0 {
		seed = 1 + rand.IntN(1_000_000_000)
	}
	t.Logf("SEED=%d", seed)
	office := makeOffice(t, program)
	var mu sync.Mutex
	var sum tally
	t.Run("worlds", func(t *testing.T) {
		for i := range (kills + perWorld - 1) / perWorld {
			t.Run(fmt.Sprint(seed+i), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, program, uint64(seed+i))
				if i%5 > 0 { // in the others the back office is made amid the kills
					w.copyOffice(office)
				}
				w.large = i%3 == 0
				for range min(perWorld, kills-i*perWorld) {
					w.live()
				}
				w.ending()
				mu.Lock()
				defer mu.Unlock()
				sum.add(&w.tally)
			})
		}
	})
	t.Logf("SEED=%d\n%s", seed, &sum)
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// A tally counts what the kills hit, so that it shows whether they hit anything.
type tally struct {
	parents, kernels                int // killed
	runs, unended, failed, previews int
	begun, unsure                   int // mutations, and those without an end
	torn                            int // half lines
	early                           int // kills before there was a log
	compared, behind                int // globals, and those older than the last run
	moves                           int // of the globals, back and forth
}

func (s *tally) add(o *tally) {
	s.parents, s.kernels = s.parents+o.parents, s.kernels+o.kernels
	s.runs, s.unended = s.runs+o.runs, s.unended+o.unended
	s.failed, s.previews = s.failed+o.failed, s.previews+o.previews
	s.begun, s.unsure = s.begun+o.begun, s.unsure+o.unsure
	s.torn, s.early = s.torn+o.torn, s.early+o.early
	s.compared, s.behind, s.moves = s.compared+o.compared, s.behind+o.behind, s.moves+o.moves
}

func (s *tally) String() string {
	return fmt.Sprintf("%d kills of the program, %d of kernel processes\n%d runs: %d failed, %d without an end, %d previews\n"+
		"%d mutations: %d without an end\nlogs: %d lines cut off, %d kills before there was one\n"+
		"globals compared %d times, moved back and forth %d times; after a kill those of a run before the last %d times",
		s.parents, s.kernels, s.runs, s.failed, s.unended, s.previews, s.begun, s.unsure, s.torn, s.early,
		s.compared, s.moves, s.behind)
}

// makeOffice makes a back office that worlds begin with.
func makeOffice(t *testing.T, program string) string {
	data := t.TempDir()
	l := start(t, program, data, nil)
	l.feed("crm.customer.search{query = 'Acme', limit = 1}")
	l.close()
	l.end()
	return filepath.Join(data, "office.db")
}
