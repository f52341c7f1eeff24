package workspace

// This file declares the actions.

import (
	"context"

	"almanac/catalog"
)

const (
	pathField = `"path":{"type":"string","description":"Relative to the workspace, with slashes","default":"."}`
	mustPath  = `"path":{"type":"string","description":"Relative to the workspace, with slashes","minLength":1}`
)

func object(properties, required string) *catalog.Schema {
	text := `{"type":"object","properties":{` + properties + `},"additionalProperties":false`
	if required != "" {
		text += `,"required":[` + required + `]`
	}
	return catalog.MustSchema(text + "}")
}

// A change is an action that alters files: what it would do, and doing it.
type change struct {
	preview func(ctx context.Context, call catalog.Call) (string, error)
	act     func(ctx context.Context, call catalog.Call) (any, error)
}

// entries are the actions of the folder.
func (f *folder) entries() []catalog.Entry {
	list := catalog.Entry{
		ID: "list_dir", Title: "List a folder", Description: "List the files and folders in a folder, by name.",
		Aliases: []string{"ls", "dir", "what files are there"}, Entities: []string{"file", "folder"},
		Input: object(pathField+`,"offset":{"type":"integer","minimum":0,"default":0},
			"limit":{"type":"integer","minimum":1,"maximum":10000,"default":10000}`, ""),
		Output: catalog.MustSchema(`{"type":"object","properties":{"path":{"type":"string"},
			"entries":{"type":"array","items":{"type":"object","title":"file","properties":{
			"name":{"type":"string"},"type":{"type":"string","enum":["file","dir","link","other"]},"size":{"type":"integer"},
			"modified":{"type":"string"}}}},
			"total":{"type":"integer"},"next_offset":{"type":["integer","null"]}}}`),
		Action: f.list, Examples: []string{`fs.list_dir{path = "docs"}.entries`},
	}
	read := catalog.Entry{
		ID: "read", Title: "Read a file",
		Description: "Read a text file, or a part of a large one. A binary file is described.",
		Aliases:     []string{"cat", "open file", "show file"}, Entities: []string{"file"},
		Input: object(mustPath+`,"offset":{"type":"integer","minimum":0,"default":0,"description":"In bytes"},
			"limit":{"type":"integer","minimum":1,"maximum":1048576,"default":262144,"description":"In bytes"}`, `"path"`),
		Output: catalog.MustSchema(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"},
			"size":{"type":"integer"},
			"next_offset":{"type":["integer","null"]},"binary":{"type":"boolean"},"media_type":{"type":"string"}}}`),
		Action: f.read, Examples: []string{`fs.read{path = "README.md"}.text`},
	}
	stat := catalog.Entry{
		ID: "stat", Title: "Look at a file or folder",
		Description: "Type, size and time of a file or folder. Null if it does not exist.",
		Aliases:     []string{"file exists", "file size"}, Entities: []string{"file", "folder"},
		Input: object(mustPath, `"path"`),
		Output: catalog.MustSchema(`{"type":["object","null"],"properties":{"path":{"type":"string"},
			"type":{"type":"string","enum":["file","dir","link","other"]},
			"size":{"type":"integer"},"modified":{"type":"string"},"mode":{"type":"string"},"target":{"type":"string"}}}`),
		Action: f.stat, Examples: []string{`fs.stat{path = "go.mod"}`},
	}
	search := catalog.Entry{
		ID: "search", Title: "Search in files",
		Description: "Find lines in text files that contain a text or match a regular expression. Skips the folder .git, files above 4 MB and binary files.",
		Aliases:     []string{"grep", "rg", "find in files", "search code"}, Entities: []string{"file"},
		Input: object(`"text":{"type":"string","minLength":1,"description":"The text to find"},
			"pattern":{"type":"string","minLength":1,"description":"An RE2 regular expression, instead of text"},`+
			pathField+`,"name":{"type":"string","description":"Only files with names like this: *.go"},
				"ignore_case":{"type":"boolean","default":false},"limit":{"type":"integer","minimum":1,"maximum":2000,
				"default":200}`, ""),
		Output: catalog.MustSchema(`{"type":"object","properties":{"matches":{"type":"array","items":{"type":"object",
			"title":"match","properties":{
			"path":{"type":"string"},"line":{"type":"integer"},"text":{"type":"string"}}}},"files":{"type":"integer"},
			"skipped":{"type":"integer"},"complete":{"type":"boolean"},"note":{"type":"string"}}}`),
		Action: f.search, Examples: []string{`fs.search{text = "TODO", name = "*.go"}.matches`},
	}
	entries := []catalog.Entry{list, read, stat, search}
	for i := range entries {
		entries[i].Operation, entries[i].Risk = catalog.Read, catalog.Low
	}
	entries = append(entries, f.changes()...)
	for i := range entries {
		e := &entries[i]
		e.ID, e.Tags = f.prefix+e.ID, []string{"workspace"}
		if f.prefix != "fs." {
			e.Examples = nil // they are written for fs
		}
	}
	return entries
}

// changes are the actions that alter files.
func (f *folder) changes() []catalog.Entry {
	done := `{"type":"object","properties":{"path":{"type":"string"},`
	entry := func(e catalog.Entry, c change) catalog.Entry {
		e.Mutates, e.Preview, e.Entities = true, c.preview, []string{"file"}
		e.Action = func(ctx context.Context, call catalog.Call) (catalog.Result, error) {
			f.changing.Lock()
			defer f.changing.Unlock()
			data, err := c.act(ctx, call)
			return catalog.Result{Data: data}, err
		}
		return e
	}
	return []catalog.Entry{
		entry(catalog.Entry{
			ID: "write", Title: "Write a file",
			Description: "Write a whole text file, new or replacing the old one. Missing folders are created.",
			Aliases:     []string{"save file", "create file"}, Operation: catalog.Create, Risk: catalog.Medium,
			Input: object(mustPath+`,"text":{"type":"string","maxLength":8388608},
				"new":{"type":"boolean","default":false,"description":"Fail if the file exists"}`, `"path","text"`),
			Output:   catalog.MustSchema(done + `"size":{"type":"integer"},"created":{"type":"boolean"}}}`),
			Examples: []string{`fs.write{path = "notes/today.md", text = "# Today\n"}`},
		}, f.writing()),
		entry(catalog.Entry{
			ID: "patch", Title: "Edit a file",
			Description: "Replace pieces of a text file. Each piece to find must occur exactly once.",
			Aliases:     []string{"edit file", "replace in file", "sed"}, Operation: catalog.Update, Risk: catalog.Medium,
			Input: object(mustPath+`,"edits":{"type":"array","minItems":1,"maxItems":200,"items":{"type":"object","properties":{
				"find":{"type":"string","minLength":1},"replace":{"type":"string"}},
				"required":["find","replace"],"additionalProperties":false}}`, `"path","edits"`),
			Output:   catalog.MustSchema(done + `"size":{"type":"integer"},"edits":{"type":"integer"}}}`),
			Examples: []string{`fs.patch{path = "main.go", edits = {{find = "old name", replace = "new name"}}}`},
		}, f.patching()),
		entry(catalog.Entry{
			ID: "move", Title: "Move or rename",
			Description: "Move or rename a file or folder. An existing target is kept, unless overwrite is set.",
			Aliases:     []string{"rename file", "mv"}, Operation: catalog.Update, Risk: catalog.Medium,
			Input: object(`"from":{"type":"string","minLength":1},"to":{"type":"string","minLength":1},
				"overwrite":{"type":"boolean","default":false}`, `"from","to"`),
			Output:   catalog.MustSchema(`{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}}}`),
			Examples: []string{`fs.move{from = "a.txt", to = "old/a.txt"}`},
		}, f.moving()),
		entry(catalog.Entry{
			ID: "remove", Title: "Remove a file or folder",
			Description: "Remove a file or an empty folder permanently, or with recursive a folder and everything in it.",
			Aliases:     []string{"delete file", "rm"}, Operation: catalog.Delete, Risk: catalog.High,
			Input:    object(mustPath+`,"recursive":{"type":"boolean","default":false}`, `"path"`),
			Output:   catalog.MustSchema(done + `"removed":{"type":"integer"}}}`),
			Examples: []string{`fs.remove{path = "old/a.txt"}`},
		}, f.removing()),
	}
}

// textArg is a string argument; arguments have been checked.
func textArg(call catalog.Call, name string) string {
	s, _ := call.Args[name].(string)
	return s
}

func number(call catalog.Call, name string, otherwise int64) int64 {
	if n, ok := call.Args[name].(int64); ok {
		return n
	}
	return otherwise
}

func truth(call catalog.Call, name string) bool {
	b, _ := call.Args[name].(bool)
	return b
}
