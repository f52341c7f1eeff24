package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxUsageLogs is how many logs Usage reads, the newest.
const maxUsageLogs = 500

// Usage counts the calls that ended well in the newest 500 logs under a folder, by action id. A folder that is not
// there gives none; what cannot be read is passed over, and so is the session with the id except.
func Usage(dir, except string) (map[string]int, error) {
	var logs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir() && strings.HasSuffix(path, ".jsonl") && d.Name() != except+".jsonl":
			logs = append(logs, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Paths begin with the day and names with the time, so that the last are the newest.
	slices.Sort(logs)
	counts := map[string]int{}
	for _, path := range logs[max(0, len(logs)-maxUsageLogs):] {
		countCalls(path, counts)
	}
	return counts, nil
}

// countCalls reads only the lines that tell of calls.
func countCalls(path string, counts map[string]int) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"kind":"call"`)) {
			var r struct {
				Kind   Kind   `json:"kind"`
				Before string `json:"before"`
				Call   *struct {
					ID      string  `json:"id"`
					Verdict Verdict `json:"verdict"`
				} `json:"call"`
			}
			if json.Unmarshal(line, &r) == nil && r.Kind == KindCall && r.Call != nil && r.Call.Verdict == OK && r.Before == "" {
				counts[r.Call.ID]++
			}
		}
		if err != nil {
			return
		}
	}
}
