package keeper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

const (
	// MaxAnswer is how many characters an answer has.
	MaxAnswer = 8000
	// maxEnrichment is how many characters go with a question.
	maxEnrichment = 2000

	// mostPassages are in a smart answer; not those that are worth less than least, or share of the best.
	mostPassages = 12
	share        = 0.45
	least        = 0.25
	// enoughWords is how many words a passage has to share with a long question; with a short one more than a third.
	enoughWords = 4
	// mostRaw is how many passages are looked at for messages.
	mostRaw = 300
	// tailRoom is how many characters are kept for the line that says what is left.
	tailRoom = 120
)

// Best are the passages that answer a question best, of one keeper or, without its id, of all. Of all they are those of
// keepers with a passage that has enough of the question's words: what a passage scores does not tell whether it is
// about something else, because words that nothing has do not count.
func (l *Library) Best(question, keeper string) []Passage {
	hits, _ := l.Find(question, keeper, mostPassages)
	if len(hits) == 0 {
		return nil
	}
	floor := max(least, share*hits[0].Score)
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < floor })
	asked := slices.Compact(slices.Sorted(slices.Values(search.Stems(question))))
	enough := min(len(asked)/3+1, enoughWords)
	about := map[string]bool{keeper: true}
	for _, h := range hits {
		about[h.Keeper] = about[h.Keeper] || h.shares(asked) >= enough
	}
	var best []Passage
	for _, h := range hits {
		if about[h.Keeper] {
			best = append(best, *h.Passage)
		}
	}
	return best
}

// shares is how many of some stems the passage has, also misspelt ones.
func (p *Passage) shares(asked []string) (n int) {
	own := search.Stems(p.Topic + " " + p.Question + " " + p.Text())
	for _, stem := range asked {
		if slices.Contains(own, stem) || spelling.Nearest(stem, own) != "" {
			n++
		}
	}
	return n
}

// Show is passages as an answer, within MaxAnswer characters. keeper is the id of the only one that was asked; may be
// empty.
func Show(passages []Passage, keeper string) string { return fill(shown(passages), keeper, MaxAnswer) }

// Enrich is what a question goes with: the passages that answer it best, or nothing, and the keepers that they are of.
func (l *Library) Enrich(question string) (passages string, keepers []string) {
	best := l.Best(question, "")
	passages = fill(shown(best), "", maxEnrichment)
	for _, p := range best {
		if !slices.Contains(keepers, p.Keeper) && strings.Contains(passages, "["+p.Keeper+"#") {
			keepers = append(keepers, p.Keeper)
		}
	}
	return passages, keepers
}

func shown(passages []Passage) []block {
	blocks := make([]block, len(passages))
	for i, p := range passages {
		blocks[i] = block{p.Keeper, p.String(), p.Last - p.First + 1}
	}
	return blocks
}

// Raw are the whole messages that match keywords, those of the best passages first, within MaxAnswer characters. It is
// empty where there are none.
func (l *Library) Raw(keywords, keeper string) string {
	hits, _ := l.Find(keywords, keeper, mostRaw)
	words := search.Stems(keywords)
	var blocks []block
	seen := map[string]bool{}
	for _, h := range hits {
		k, ok := l.Keeper(h.Keeper)
		if !ok {
			continue // it went in between
		}
		some := slices.ContainsFunc(h.Pieces, func(p Piece) bool { return Has(p.Text, words) })
		for _, p := range h.Pieces {
			source := fmt.Sprintf("[%s#%d]", k.ID, p.N)
			if seen[source] || p.N > len(k.Messages) || some && !Has(p.Text, words) {
				continue
			}
			seen[source] = true
			m := k.Messages[p.N-1]
			said := fmt.Sprintf("%s %s, kept by %s\n%s: %s", source, k.Topic, k.From, m.Role, m.Text)
			blocks = append(blocks, block{k.ID, said, 1})
		}
	}
	return fill(blocks, keeper, MaxAnswer)
}

// Has tells whether a text has one of some stems.
func Has(s string, stems []string) bool {
	return slices.ContainsFunc(search.Stems(s), func(word string) bool { return slices.Contains(stems, word) })
}

// A block is a part of an answer that comes from some messages of a keeper.
type block struct {
	keeper   string
	text     string
	messages int
}

// fill joins blocks up to a number of characters, and says what is left of them.
func fill(blocks []block, keeper string, room int) string {
	var b strings.Builder
	for i, one := range blocks {
		gap := ""
		if i > 0 {
			gap = "\n\n"
		}
		last := tailRoom
		if i == len(blocks)-1 {
			last = 0
		}
		n := utf8.RuneCountInString(gap) + utf8.RuneCountInString(one.text)
		if n <= room-last {
			b.WriteString(gap + one.text)
			room -= n
			continue
		}
		part := text.ClipRunes(one.text, room-tailRoom-len(gap))
		if room-tailRoom < 200 {
			part = "" // not worth it
		}
		if part != "" {
			b.WriteString(gap + part)
		}
		b.WriteString(left(blocks[i:], utf8.RuneCountInString(part), keeper))
		break
	}
	return b.String()
}

// left is the line that says what is left of blocks, of the first of which some characters are shown.
func left(blocks []block, shown int, keeper string) string {
	characters, messages := -shown, 0
	at := map[string]int{}
	most := blocks[0].keeper
	for _, one := range blocks {
		n := utf8.RuneCountInString(one.text)
		characters, messages = characters+n, messages+one.messages
		if at[one.keeper] += n; at[one.keeper] > at[most] {
			most = one.keeper
		}
	}
	hint := "ask for something narrower"
	if keeper == "" {
		hint = "ask with keeper_id " + strconv.Quote(most)
	}
	return fmt.Sprintf("\n\n… %s more characters, %s; %s", text.Thousands(strconv.Itoa(characters)),
		text.Count(messages, "message"), hint)
}

// Nothing says that nothing was found for a query, and what there is.
func (l *Library) Nothing(query string) string {
	all := l.Keepers()
	if len(all) == 0 {
		return "nothing is kept in this team yet; context.offload keeps a part of a conversation"
	}
	const most = 10
	var topics []string
	for _, k := range all[:min(len(all), most)] {
		topics = append(topics, fmt.Sprintf("%s (%s)", k.Topic, k.ID))
	}
	if more := len(all) - most; more > 0 {
		topics = append(topics, fmt.Sprintf("%d more: context.keepers lists them", more))
	}
	return fmt.Sprintf("nothing kept about %q; %s: %s", text.LineRunes(query, 80), text.Count(len(all), "keeper"),
		strings.Join(topics, ", "))
}

// Unknown is the error of an id that no keeper has.
func (l *Library) Unknown(id string) error {
	var ids []string
	for _, k := range l.Keepers() {
		ids = append(ids, k.ID)
	}
	hint := "context.keepers lists them"
	if near := spelling.Nearest(id, ids); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Errorf("keeper %q: there is none; %s", text.LineRunes(id, 60), hint)
}

// Noted is an answer with a note below it, within MaxAnswer characters.
func Noted(note, answer string) string {
	note = "\n\n(" + note + ")"
	return text.ClipRunes(answer, MaxAnswer-utf8.RuneCountInString(note)) + note
}
