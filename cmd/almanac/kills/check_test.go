//go:build linux

package kills

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "modernc.org/sqlite"

	"almanac/session/trace"
)

// wrong fails the test with what this life was fed.
func (w *world) wrong(shown []string, format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\nfed:\n  %s\nshown:\n  %s", fmt.Sprintf(format, args...), strings.Join(w.told, "\n  "),
		strings.Join(shown, "\n  "))
}

// check compares what is on disk, and what was shown in the last life.
func (w *world) check(shown []string) {
	w.t.Helper()
	logs, _ := filepath.Glob(filepath.Join(w.data, "sessions", "*", "*", "*", "*.jsonl"))
	slices.SortFunc(logs, func(x, y string) int { return strings.Compare(filepath.Base(x), filepath.Base(y)) })
	all := map[string][]trace.Record{}
	var newest string
	w.tally.torn = 0
	for _, path := range logs {
		records, damage, err := trace.Read(path)
		if err != nil || len(damage.Broken) > 0 || damage.Torn > 1 {
			w.wrong(shown, "%s: %v, %v", path, damage, err)
		}
		w.tally.torn += damage.Torn
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		all[id] = records
		newest = id
	}
	if newest == "" {
		w.tally.early++
		return
	}
	w.compareOffice(shown, all)
	if newest == w.newest { // it was killed before it had a log
		w.tally.early++
		return
	}
	w.newest = newest
	w.compareShown(shown, all[newest])
	w.compareStates(shown, all, newest)
}

// compareShown wants all that was shown in the log.
func (w *world) compareShown(shown []string, records []trace.Record) {
	w.t.Helper()
	logged := map[string]bool{}
	for _, r := range records {
		switch {
		case r.Kind == trace.KindOutput:
			for line := range strings.Lines(r.Text) {
				logged[strings.TrimSpace(line)] = true
			}
		case r.Kind == trace.KindOutcome && r.Ended.OK:
			logged[r.Ended.Repr] = true
		}
	}
	for _, line := range shown {
		if markedAt.MatchString(line) || strings.HasPrefix(line, "state ") {
			if !logged[line] && !logged[strconv.Quote(line)] {
				w.wrong(shown, "%q was shown and is not in the log", line)
			}
		}
	}
}

// compareOffice wants every mutation of the database begun in the log, and every one that the log has as done in the
// database.
func (w *world) compareOffice(shown []string, all map[string][]trace.Record) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.data, "office.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	made := map[string]int{}
	rows, err := db.Query("SELECT session_id, action, args FROM audit")
	if err != nil {
		if strings.Contains(err.Error(), "no such table") { // killed while it was made
			return
		}
		w.t.Fatal(err)
	}
	for rows.Next() {
		var id, action, args string
		if err := rows.Scan(&id, &action, &args); err != nil {
			w.t.Fatal(err)
		}
		made[id+" "+action+" "+args]++
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	begun, unsure := map[string]int{}, map[string]int{}
	w.tally.begun, w.tally.unsure = 0, 0
	for id, records := range all {
		open := map[string]bool{}
		for _, r := range records {
			if r.Call == nil || !r.Call.Mutates || r.Mode != trace.ModeRun && r.Kind != trace.KindBegin {
				continue
			}
			args, _ := json.Marshal(r.Call.Args)
			key, call := id+" "+r.Call.ID+" "+string(args), fmt.Sprint(r.Run, r.Call.N)
			switch {
			case r.Kind == trace.KindBegin:
				begun[key]++
				unsure[key]++
				open[call] = true
				w.tally.begun++
				w.tally.unsure++
			case r.Kind == trace.KindCall && !open[call]:
				w.wrong(shown, "%s has an end in the log and no beginning", key)
			case r.Kind == trace.KindCall:
				if r.Call.Verdict == trace.OK {
					unsure[key]--
					w.tally.unsure--
				}
			}
		}
	}
	for key, n := range made {
		if n > begun[key] {
			w.wrong(shown, "%s is in the database %d times, begun in the log %d times", key, n, begun[key])
		}
	}
	for key, n := range begun {
		if made[key] < n-unsure[key] {
			w.wrong(shown, "%s is in the database %d times, in the log %d times", key, made[key], n)
		}
	}
}
