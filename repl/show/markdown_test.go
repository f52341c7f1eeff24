package show

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog/text"
	"almanac/internal/golden"
)

// Markdown is drawn as text that a reader can follow without colours.
func TestMarkdown(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/markdown/*.md") {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, width := range []int{78, 40} {
			o := Options{ASCII: width == 40}
			fmt.Fprintf(&b, "== %d\n", width)
			for _, block := range blocksOf(string(source), len(source)) {
				if !block.Joined {
					b.WriteString("\n")
				}
				for _, l := range MarkdownLines(block.Text, width, o) {
					b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
				}
			}
		}
		golden.Equal(t, strings.TrimSuffix(file, ".md")+".golden", b.String())
		if strings.ContainsAny(b.String(), "\x1b\x07\u202e") {
			t.Errorf("%s: a control character", file)
		}
	}
}

// blocksOf cuts text into blocks as they come when it streams in pieces of n bytes.
func blocksOf(text string, n int) []Block {
	var b Blocks
	var out []Block
	for text != "" {
		k := min(n, len(text))
		out = append(out, b.Push(text[:k])...)
		text = text[k:]
	}
	if rest := b.Flush(); rest.Text != "" {
		out = append(out, rest)
	}
	return out
}

// However the text comes in, the blocks are the same, and nothing but blank lines is lost.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{
		"a\n\nb", "```lua\nx\n\ny\n```\nafter", "p\n```\ncode", "~~~\n```\n~~~\nx", strings.Repeat("line\n", 100),
		"```go\n" + strings.Repeat("code\n", 100) + "```\n", strings.Repeat("long ", 4000), "```\r\nx\r\n```\r\n",
	} {
		f.Add(seed)
	}
	words := func(blocks []Block) []string {
		var all string
		for _, b := range blocks {
			all += b.Text + "\n"
		}
		return strings.FieldsFunc(all, func(r rune) bool { return strings.ContainsRune(" \n\r\t`~", r) })
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := blocksOf(text, len(text)+1)
		if len(text) < 4000 {
			if pieces := blocksOf(text, 3); !slices.Equal(whole, pieces) {
				t.Errorf("in pieces: %s", cmp.Diff(whole, pieces))
			}
		}
		if len(text) < openBytes && strings.Count(text, "\n") < openLines {
			got, want := words(whole), words([]Block{{Text: text}})
			if strings.Join(got, "") != strings.Join(want, "") {
				t.Errorf("lost: %s", cmp.Diff(want, got))
			}
		}
	})
}

// No Markdown gets a control character to the screen or draws words wider than the room.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"# a\n\n> b\n> > c", "1. a\n   - b", "|a|\n|-|\n|\x1b|", "[a](b) **c *d* e** `f`",
		"&#27;[1m", "漢字漢字漢字 ́́", "<a>\x1b</a>", "* * *"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, l := range MarkdownLines(source, 30, Options{}) {
			line := l.String()
			if line != text.SanitizeLine(line) {
				t.Errorf("not clean: %q", line)
			}
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	source, err := os.ReadFile("testdata/markdown/all.md")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		MarkdownLines(string(source), 78, Options{})
	}
}
