package keeper

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// messagesOf reads messages from any text: the first byte of a line says who says it.
func messagesOf(s string) []Message {
	var all []Message
	for line := range strings.SplitSeq(s, "\n") {
		role := "user"
		if line != "" {
			role = []string{"user", "assistant", "call", ToolRole}[line[0]%4]
		}
		all = append(all, Message{Role: role, Text: line})
	}
	return all
}

// Whatever is said: topics begin in order and never with the answer of a tool, a part is within the conversation, all
// of it is in the passages, and no answer is longer than it may be.
func FuzzKeeper(f *testing.F) {
	f.Add("user: where are the refunds kept?\nassistant: in the table refunds", "refunds", "where?", 0)
	f.Add("0 orders\n1 orders and refunds\n2 call()\n3 answer answer\n0 the index\n1 the index is locked",
		"index", "index", 1)
	f.Add(strings.Repeat("long ", 2000)+"\n3x\n3y", "", "long", 2)
	f.Add("\x80\x80\xff\n\x1b[31mred", "\u202e", "red?", 5)
	f.Fuzz(func(t *testing.T, said, topic, query string, count int) {
		messages := messagesOf(said)
		starts := Split(messages)
		for i, at := range starts {
			if i == 0 && at != 0 || i > 0 && (at <= starts[i-1] || at >= len(messages) || messages[at].Role == ToolRole) {
				t.Fatalf("topics begin at %v", starts)
			}
		}
		if !slices.Equal(starts, Split(messages)) {
			t.Fatal("not the same twice")
		}
		from, to := Part(messages, topic, count%100)
		if from < 0 || to > len(messages) || from >= to || from > 0 && messages[from].Role == ToolRole {
			t.Fatalf("part %d to %d of %d", from, to, len(messages))
		}
		if count%100 <= 0 && (!slices.Contains(starts, from) || to < len(messages) && !slices.Contains(starts, to)) {
			t.Fatalf("part %d to %d, topics %v", from, to, starts)
		}
		k := Keeper{ID: "k", Topic: topic, From: "ann", Messages: messages[from:to], At: time.Now()}
		var l Library
		l.Add(k)
		kept, _ := l.Keeper("k")
		if kept.Size() > MaxText || utf8.RuneCountInString(kept.Topic) > MaxTopic || !isID(kept.id(true)) {
			t.Fatalf("%s", kept)
		}
		words := map[int]string{}
		for _, p := range passages(kept) {
			size := 0
			for _, piece := range p.Pieces {
				words[piece.N] += piece.Text
				size += len(piece.Text)
			}
			if size > maxPassage || p.First != p.Pieces[0].N || p.Last != p.Pieces[len(p.Pieces)-1].N {
				t.Fatalf("passage %+v", p)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		for i, m := range kept.Messages {
			if squeeze(words[i+1]) != squeeze(m.Text) {
				t.Fatalf("message %d is %q in passages, want %q", i+1, words[i+1], m.Text)
			}
		}
		for _, answer := range []string{l.Raw(query, ""), Show(l.Best(query, "k"), "k"), l.Nothing(query)} {
			if n := utf8.RuneCountInString(answer); n > MaxAnswer || !utf8.ValidString(answer) {
				t.Fatalf("an answer of %d characters: %.100q", n, answer)
			}
		}
		enrichment, _ := l.Enrich(query)
		if n := utf8.RuneCountInString(enrichment); n > maxEnrichment {
			t.Fatalf("an enrichment of %d characters", n)
		}
		written := fmt.Sprintf("%s [k#1] [other#2] %s", query, said)
		if summary, ok := Summary(written, l.Best(query, "")); ok && strings.Contains(summary, "[other#2]") {
			t.Fatal(summary)
		}
	})
}
