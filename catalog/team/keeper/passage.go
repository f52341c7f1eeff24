package keeper

import (
	"fmt"
	"strings"

	"almanac/catalog/text"
)

// maxPassage is how many bytes of text a passage has.
const maxPassage = 1200

// A Passage is a piece of a keeper: some messages of one exchange, or a part of a long one.
type Passage struct {
	// Keeper, Topic and From are those of the keeper.
	Keeper, Topic, From string
	// First and Last are the numbers of its messages in the keeper, from 1.
	First, Last int
	Pieces      []Piece
	// Question is how the exchange began, where the passage does not have it.
	Question string
}

// A Piece is what a passage has of a message.
type Piece struct {
	N    int // its number
	Role string
	Text string
}

// Source is how a passage is cited.
func (p *Passage) Source() string { return fmt.Sprintf("[%s#%d]", p.Keeper, p.First) }

// Text is what the passage says: each of its messages with who said it.
func (p *Passage) Text() string {
	lines := make([]string, len(p.Pieces))
	for i, piece := range p.Pieces {
		lines[i] = piece.Role + ": " + piece.Text
	}
	return strings.Join(lines, "\n")
}

// String is the passage with where it is from.
func (p *Passage) String() string {
	return fmt.Sprintf("%s %s, kept by %s\n%s", p.Source(), p.Topic, p.From, p.Text())
}

// passages cuts a keeper into passages. One begins with each message of the user, and wherever the last one is full.
func passages(k *Keeper) []Passage {
	var all []Passage
	question := ""
	room := 0
	for i, m := range k.Messages {
		if m.Role == "user" {
			question, room = text.HeadBytes(m.Text, 300), 0
		}
		for _, part := range cut(m.Text) {
			if len(part) > room {
				all = append(all, Passage{Keeper: k.ID, Topic: k.Topic, From: k.From, First: i + 1})
				if m.Role != "user" {
					all[len(all)-1].Question = question
				}
				room = maxPassage
			}
			room -= len(part)
			p := &all[len(all)-1]
			p.Last = i + 1
			p.Pieces = append(p.Pieces, Piece{N: i + 1, Role: m.Role, Text: part})
		}
	}
	return all
}

// cut is a text in pieces of at most maxPassage bytes, which end with a paragraph, a line, a sentence or a word where
// there is one.
func cut(s string) []string {
	var pieces []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		head := text.HeadBytes(s, maxPassage)
		if head == "" {
			head = s[:maxPassage] // no text
		}
		if len(head) < len(s) {
			for _, mark := range []string{"\n\n", "\n", ". ", " "} {
				if i := strings.LastIndex(head, mark); i >= maxPassage/3 {
					head = head[:i+len(mark)]
					break
				}
			}
		}
		s = s[len(head):]
		if head = strings.TrimSpace(head); head != "" {
			pieces = append(pieces, head)
		}
	}
	return pieces
}
