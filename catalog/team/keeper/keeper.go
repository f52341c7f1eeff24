package keeper

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
)

// The limits of what is kept.
const (
	// MaxText is how many bytes of text a keeper holds; of a longer part the newest messages are kept.
	MaxText = 512 << 10
	// MaxKeepers and MaxTotal are how many keepers a team has and how many bytes of text they hold together. When there
	// are more, the oldest go.
	MaxKeepers = 200
	MaxTotal   = 8 << 20
	// MaxAge is how long a keeper stays.
	MaxAge = 90 * 24 * time.Hour
	// MaxTopic is how many characters a topic has.
	MaxTopic = 120

	maxMessages = 20_000
)

// A Message is one message of a conversation.
type Message struct {
	// Role is who said it: user, assistant, or tool for what a call of the assistant came to.
	Role string `json:"role"`
	Text string `json:"text"`
}

// ToolRole is the role of the answer to a call.
const ToolRole = "tool"

// A Keeper is some messages under a topic.
type Keeper struct {
	ID    string `json:"id"`
	Topic string `json:"topic"`
	// From is the agent that kept it.
	From     string    `json:"from"`
	Messages []Message `json:"messages"`
	// At is when it was kept, by the clock of the server.
	At time.Time `json:"-"`
}

// Size is how many bytes of text the messages have.
func (k *Keeper) Size() int { return size(k.Messages) }

func size(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
	}
	return n
}

// newest orders keepers: the newest first.
func newest(a, b *Keeper) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.ID, b.ID)) }

// clean is k without what a terminal would obey, and within the limits: it may come from anybody.
func (k *Keeper) clean() {
	k.Topic = text.LineRunes(k.Topic, MaxTopic)
	k.From = text.LineRunes(k.From, 32)
	k.Messages = slices.Clone(k.Messages[max(0, len(k.Messages)-maxMessages):])
	for i := range k.Messages {
		m := &k.Messages[i]
		m.Role, m.Text = text.LineRunes(m.Role, 20), text.Clean(m.Text)
	}
	k.Messages = last(k.Messages, MaxText)
}

// last are the last messages that have at most n bytes of text; of one that is longer alone, its end. An answer comes
// with its call.
func last(messages []Message, n int) []Message {
	from := len(messages)
	for ; from > 0 && n >= len(messages[from-1].Text); from-- {
		n -= len(messages[from-1].Text)
	}
	if from == len(messages) && from > 0 {
		m := messages[from-1]
		return []Message{{Role: m.Role, Text: text.TailBytes(m.Text, n)}}
	}
	whole := from
	for from > 0 && from < len(messages) && messages[from].Role == ToolRole {
		from++
	}
	if from == len(messages) {
		from = whole
	}
	return messages[from:]
}

// id is a name for k that a person can read and that the same words always get: words of the topic and a sum. wide
// makes the sum longer.
func (k *Keeper) id(wide bool) string {
	raw, _ := json.Marshal(Keeper{Topic: k.Topic, From: k.From, Messages: k.Messages}) // texts always marshal
	sum := sha256.Sum256(raw)
	n := 4
	if wide {
		n = 12
	}
	return slug(k.Topic) + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:n])
}

// slug is a topic as a part of a name.
func slug(topic string) string {
	words := strings.FieldsFunc(strings.ToLower(topic), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	s := ""
	for _, word := range words {
		if s != "" && len(s)+1+len(word) > 24 {
			break
		}
		s = strings.TrimPrefix(s+"-"+word, "-")
	}
	if s = text.HeadBytes(s, 24); s == "" {
		return "notes"
	}
	return s
}

// String is the keeper in a line.
func (k *Keeper) String() string {
	return fmt.Sprintf("%s  %s  %s, %s, kept by %s on %s", k.ID, k.Topic, text.Count(len(k.Messages), "message"),
		text.Bytes(int64(k.Size())), k.From, k.At.UTC().Format("2 Jan 15:04"))
}
