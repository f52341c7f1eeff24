package repl

// This file holds /export: the session, or a value, as a file.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"almanac/catalog/media"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/records"
	"almanac/repl/show"
	"almanac/repl/transcript"
	"almanac/session/vm"
)

const exportUsage = "/export [--safe] [EXPR | N | N.M] FILE"

func exportCommand() command {
	return command{
		name: "export", args: "[EXPR | N | N.M] FILE", group: groupMore, run: export, words: exportWords,
		brief: "write the session, a value or a result to a file",
		more: "/export FILE writes the session:\n" +
			"  .md     to read\n" +
			"  .lua    the scripts that succeeded, yours and the model's, since the last reset of Lua;\n" +
			"          almanac run takes it\n" +
			"  .jsonl  every record of the log\n" +
			"/export open x.csv writes a value: EXPR, the result of cell N, or of call N.M. The name's ending says how:\n" +
			"  .csv .json .jsonl .md .lua .txt\n" +
			"An image or a sound of a result, which a script holds as a handle, is written as it is: /export shot x.png.\n" +
			"--safe puts a ' before texts in CSV that a spreadsheet would compute. A name with blanks is quoted.\n" +
			"An existing file is kept.",
	}
}

// exportWords offers values, and files behind one.
func exportWords(sh *Shell, arg string) []Completion {
	if strings.ContainsAny(arg, " \t") {
		return nil
	}
	return append(globalWords(sh, arg), fileWords(sh, arg)...)
}

// fileBehind is an expression and the file behind it, which is one word or quoted.
var fileBehind = regexp.MustCompile(`^(?s)(.*\S)\s+("[^"]+"|'[^']+'|[^\s"']+)$`)

func export(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	arg, safe := cutFlag(strings.TrimSpace(arg), "--safe")
	if arg == "" {
		return &UsageError{usage: exportUsage}
	}
	if parts := fileBehind.FindStringSubmatch(arg); parts != nil {
		return exportValue(ctx, sh, c, parts[1], unquoted(parts[2]), safe)
	}
	file := unquoted(arg)
	format, err := transcript.ParseFormat(file)
	if _, isData := records.FormatOf(file); isData && err != nil {
		return &UsageError{
			usage:   exportUsage,
			message: fmt.Sprintf("%s: name a value before it; the session goes to .md, .lua or .jsonl", file),
		}
	}
	if err != nil {
		return &UsageError{usage: exportUsage, message: err.Error()}
	}
	log, err := sh.log()
	if err != nil {
		return err
	}
	cells, _ := transcript.Cells(log)
	if len(cells) == 0 {
		return fmt.Errorf("%s: nothing to export: no cells yet", file)
	}
	if err := writeNew(file, func(w io.Writer) error { return transcript.Write(w, log, format) }); err != nil {
		return err
	}
	sh.say(event.Notice, "%s: %s written", file, text.Count(len(cells), "cell"))
	return nil
}

// exportValue writes what source stands for: the result of a cell or a call, a variable, or any other expression, which
// runs.
func exportValue(ctx context.Context, sh *Shell, c *event.Cell, source, file string, safe bool) error {
	format, ok := records.FormatOf(file)
	if _, err := os.Lstat(homePath(file)); err == nil {
		return fileExists(file) // before anything runs
	}
	if !ok {
		if done, err := sh.exportMedia(ctx, c, source, file); done {
			return err
		}
		return &UsageError{
			usage: exportUsage, message: fmt.Sprintf("%s: unknown format: want .csv, .json, .jsonl, .md, .lua or .txt", file),
		}
	}
	v, err := sh.exported(ctx, c, source)
	if err != nil {
		return err
	}
	if !v.Whole {
		sh.say(event.Warning, "%s: functions and other values that are no data are written as text", file)
	}
	if _, all := records.Finite(v.Data); !all && (format == records.JSON || format == records.JSONL) {
		sh.say(event.Warning, "%s: %s", file, records.NotFinite)
	}
	err = writeNew(file, func(w io.Writer) error {
		return records.WriteValue(w, v.Data, v.Fields, records.Options{Format: format, Safe: safe})
	})
	if err != nil {
		return err
	}
	what := v.Type
	if items, ok := v.Data.([]any); ok {
		what = text.Count(len(items), "row")
	}
	sh.say(event.Notice, "%s: %s written", file, what)
	return nil
}

// exportMedia writes an image, a sound or a file of a result; done is false where source, which is not run, is none.
func (sh *Shell) exportMedia(ctx context.Context, c *event.Cell, source, file string) (done bool, err error) {
	if _, _, err := cellNumber(source); err != nil {
		if _, ok := show.ParsePath(source); !ok {
			return false, nil
		}
	}
	v, err := sh.exported(ctx, c, source)
	a, ok := media.Of(v.Data)
	if err != nil || !ok {
		return err != nil, err
	}
	content, err := sh.options.Media.Get(a.Handle)
	if err != nil {
		return true, err
	}
	err = writeNew(file, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err == nil {
		sh.say(event.Notice, "%s: %s written", file, text.Count(len(content), "byte"))
	}
	return true, err
}

// exported is the value that source stands for, as data.
func (sh *Shell) exported(ctx context.Context, c *event.Cell, source string) (v vm.Value, err error) {
	nothing := fmt.Errorf("%s is nil", text.SanitizeLine(source))
	if n, m, err := cellNumber(source); err == nil && m > 0 {
		return sh.callResult(n, m)
	} else if err == nil {
		source, nothing = fmt.Sprintf("_%d", n), fmt.Errorf("cell [%d] has no value", n)
	}
	path, ok := show.ParsePath(source)
	if !ok {
		o, err := sh.runQuietly(ctx, c, source)
		if err != nil {
			return v, err
		}
		if len(o.Values) == 0 || o.Values[0].Type == "nil" {
			return v, nothing
		}
		path = []vm.Step{{Name: "_"}}
	}
	rows, err := sh.Rows(ctx, path, 0, rowsAtOnce)
	if err != nil {
		return v, err
	}
	if rows.Type == "nil" {
		return v, nothing
	}
	tooLarge := func() error {
		if rows.TooLarge == "" {
			return nil
		}
		return fmt.Errorf("%s: %s; take a part of it", text.SanitizeLine(source), rows.TooLarge)
	}
	v = vm.Value{Type: rows.Type, Fields: rows.Fields, Whole: rows.Whole}
	if !rows.List {
		v.Data = rows.Items[0]
		return v, tooLarge()
	}
	items := rows.Items
	for len(items) < rows.Size && rows.TooLarge == "" {
		if rows, err = sh.Rows(ctx, path, len(items), rowsAtOnce); err != nil {
			return v, err
		}
		if len(rows.Items) == 0 {
			return v, fmt.Errorf("%s changed while it was read", text.SanitizeLine(source))
		}
		items, v.Whole = append(items, rows.Items...), v.Whole && rows.Whole
	}
	v.Data = items
	return v, tooLarge()
}

// rowsAtOnce is how many rows are asked for at once.
const rowsAtOnce = 2000

// callResult is what call m of cell n returned, if all of it is there.
func (sh *Shell) callResult(n, m int) (v vm.Value, err error) {
	c, ok := sh.cell(n)
	if !ok {
		return v, fmt.Errorf("export: no cell [%d]", n)
	}
	for _, call := range c.Calls {
		if call.N != m {
			continue
		}
		v, part := sh.resultOf(n, call)
		switch {
		case part != "":
			return v, fmt.Errorf("[%d.%d]: only %s", n, m, part)
		case v.Data == nil:
			return v, fmt.Errorf("[%d.%d] returned nothing", n, m)
		}
		return v, nil
	}
	return v, fmt.Errorf("export: no call [%d.%d]", n, m)
}

func fileExists(name string) error {
	return fmt.Errorf("%s: file exists: choose another name", name)
}

// writeNew writes a file that must not be there yet, for the user's eyes only. It is there whole or not at all.
func writeNew(name string, write func(io.Writer) error) error {
	path := homePath(name)
	if _, err := os.Lstat(path); err == nil {
		return fileExists(name)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".almanac-*")
	if err != nil {
		return fmt.Errorf("%s: %w", name, pathCause(err))
	}
	defer os.Remove(f.Name())
	if err = errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, pathCause(err))
	}
	// A link does not replace a file that came meanwhile; not every file system has links.
	if err = os.Link(f.Name(), path); errors.Is(err, os.ErrExist) {
		return fileExists(name)
	} else if err != nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, pathCause(err))
	}
	return nil
}
