// Package media keeps the images, sounds and files that results carry, outside of Lua.
//
//	Folder        where they are; Put keeps one, Get reads it
//	Attachments   those that a value names; Handles, those that a text names
//
// A script holds a small table in place of each: {kind="image", mime_type="image/png", bytes=5120, handle="media:..."}.
// A handle is made of the content's digest, so it names nothing else, and only who has seen it knows it.
//
// Start at Folder.Put.
package media

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Folder keeps media as files that only the user reads. The empty Folder keeps none.
type Folder string

// In is the folder of a program's data.
func In(data string) Folder {
	if data == "" {
		return ""
	}
	return Folder(filepath.Join(data, "media"))
}

const (
	// Prefix begins every handle.
	Prefix = "media:"
	// keep is how long a file is kept that no result brings again.
	keep = 30 * 24 * time.Hour
)

var handleIn = regexp.MustCompile(`\bmedia:[0-9a-f]{32}(\.[a-z0-9]{1,5})?\b`)

// isHandle reports whether a text is a handle and nothing else.
func isHandle(text string) bool { return text != "" && handleIn.FindString(text) == text }

// file is the path of what a handle names; ok is false for what is no handle, and in the empty Folder.
func (f Folder) file(handle string) (path string, ok bool) {
	return filepath.Join(string(f), strings.TrimPrefix(handle, Prefix)), f != "" && isHandle(handle)
}

// Put keeps the bytes and returns the table that stands for them. Where they cannot be kept it has no handle.
func (f Folder) Put(kind, mime string, data []byte) map[string]any {
	table := map[string]any{"kind": kind, "mime_type": mime, "bytes": int64(len(data))}
	if f == "" {
		return table
	}
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:16]) + ending(mime)
	path := filepath.Join(string(f), name)
	if now := time.Now(); os.Chtimes(path, now, now) != nil {
		if os.MkdirAll(string(f), 0o700) != nil || os.WriteFile(path+".new", data, 0o600) != nil ||
			os.Rename(path+".new", path) != nil {
			return table
		}
		f.sweep(now)
	}
	table["handle"] = Prefix + name
	return table
}

// sweep removes what is old.
func (f Folder) sweep(now time.Time) {
	files, _ := os.ReadDir(string(f))
	for _, file := range files {
		if info, err := file.Info(); err == nil && now.Sub(info.ModTime()) > keep {
			_ = os.Remove(filepath.Join(string(f), file.Name()))
		}
	}
}

// Size is how many bytes a handle names; math.MaxInt64 where there are none.
func (f Folder) Size(handle string) int64 {
	path, ok := f.file(handle)
	if !ok {
		return math.MaxInt64
	}
	info, err := os.Stat(path)
	if err != nil {
		return math.MaxInt64
	}
	return info.Size()
}

// Get returns what a handle names.
func (f Folder) Get(handle string) ([]byte, error) {
	path, ok := f.file(handle)
	if !ok {
		return nil, fmt.Errorf("%q is no handle: want media:..., as a result has it", handle)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is gone: call the action again", handle)
	}
	return data, err
}

// An Attachment is what a table of Put says.
type Attachment struct{ Kind, MIME, Handle string }

// Of reads a table; ok is false for any other value.
func Of(v any) (a Attachment, ok bool) {
	table, _ := v.(map[string]any)
	a.Handle, _ = table["handle"].(string)
	a.Kind, _ = table["kind"].(string)
	a.MIME, _ = table["mime_type"].(string)
	return a, isHandle(a.Handle)
}

// Handles lists those in a text, each once, in their order.
func Handles(text string) (all []string) {
	for _, handle := range handleIn.FindAllString(text, -1) {
		if !slices.Contains(all, handle) {
			all = append(all, handle)
		}
	}
	return all
}

// Attachments lists those in a value, each once, at most so many.
func Attachments(v any, most int) (all []Attachment) {
	seen := map[string]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		if a, ok := Of(v); ok && !seen[a.Handle] && len(all) < most {
			seen[a.Handle] = true
			all = append(all, a)
		}
		if depth > 100 {
			return
		}
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item, depth+1)
			}
		case map[string]any:
			for _, item := range v {
				walk(item, depth+1)
			}
		}
	}
	walk(v, 0)
	return all
}

// ImageType is the MIME type of a picture that models can be shown, by the ending of its handle; "" for other media.
func ImageType(handle string) string {
	switch ending := filepath.Ext(handle); ending {
	case ".png", ".gif", ".webp":
		return "image/" + ending[1:]
	case ".jpg":
		return "image/jpeg"
	}
	return ""
}

// ending is what the name of a file of a MIME type ends with; "" for types that are rare.
func ending(mime string) string {
	switch mime {
	case "image/png", "image/gif", "image/webp", "audio/ogg", "audio/wav", "application/pdf":
		return "." + filepath.Base(mime)
	case "image/jpeg":
		return ".jpg"
	case "image/svg+xml":
		return ".svg"
	case "audio/mpeg":
		return ".mp3"
	case "application/zip":
		return ".zip"
	}
	return ""
}
