package keeper

import (
	"math"

	"almanac/catalog/search"
)

// This file says where a conversation changes its topic, as TextTiling does: between neighbouring stretches of messages
// that share few words. Weights are integers, so that the order of adding does not matter.

const (
	// stretch is how many words of each side of a gap are compared.
	stretch = 80
	// fewWords is how many words a side has that says too little to be compared.
	fewWords = 6
	// apart is the likeness under which two sides are about different things whatever stands around them, close the one
	// from which on they never are, and valley how much less alike than their neighbours they have to be in between.
	apart, near, valley = 0.05, 0.3, 0.12
)

// Split returns where the topics of a conversation begin: numbers of messages, the first of which is 0. It never parts
// the answer of a tool from its call, nor an answer from its question. Without messages there are none.
func Split(messages []Message) []int {
	if len(messages) == 0 {
		return nil
	}
	words := stems(messages)
	weights := weigh(words)
	var gaps []int
	var alike []float64
	for i := 1; i < len(messages); i++ {
		if !opens(messages[i-1], messages[i]) {
			continue
		}
		before, after := side(words, i-1, -1), side(words, i, 1)
		score := 1.0 // too little is said to tell
		if before.n >= fewWords && after.n >= fewWords {
			score = likeness(before.counts, after.counts, weights)
		}
		gaps, alike = append(gaps, i), append(alike, score)
	}
	starts := []int{0}
	for i, at := range gaps {
		left, right := peak(alike, i, -1), peak(alike, i, 1)
		deep := alike[i] < near && left+right-2*alike[i] >= valley
		lowest := (i == 0 || alike[i-1] > alike[i]) && (i+1 == len(alike) || alike[i+1] >= alike[i])
		if lowest && (alike[i] < apart || deep) {
			starts = append(starts, at)
		}
	}
	return starts
}

// opens tells whether a topic may begin with m.
func opens(before, m Message) bool {
	return m.Role == "user" || m.Role != ToolRole && before.Role == ToolRole
}

func stems(messages []Message) [][]string {
	all := make([][]string, len(messages))
	for i, m := range messages {
		all[i] = search.Stems(m.Text)
	}
	return all
}

// weigh says how much each word tells: the less, the more messages have it.
func weigh(words [][]string) map[string]int64 {
	in := map[string]int{}
	for _, message := range words {
		seen := map[string]bool{}
		for _, word := range message {
			if !seen[word] {
				seen[word] = true
				in[word]++
			}
		}
	}
	weights := make(map[string]int64, len(in))
	for word, n := range in {
		weights[word] = int64(64 * math.Log(1+float64(len(words))/float64(n)))
	}
	return weights
}

// A bag is how often words occur, n of them together.
type bag struct {
	counts map[string]int64
	n      int
}

// side are the words nearest to a gap on one side of it.
func side(words [][]string, from, step int) bag {
	b := bag{counts: map[string]int64{}}
	for i := from; i >= 0 && i < len(words) && b.n < stretch; i += step {
		for j := range min(len(words[i]), stretch-b.n) {
			word := words[i][j]
			if step < 0 {
				word = words[i][len(words[i])-1-j]
			}
			b.counts[word]++
			b.n++
		}
	}
	return b
}

// likeness is the cosine of two bags of words.
func likeness(a, b map[string]int64, weights map[string]int64) float64 {
	var both, ofA, ofB int64
	for word, n := range a {
		w := weights[word]
		ofA += n * w * n * w
		both += n * w * b[word] * w
	}
	for word, n := range b {
		ofB += n * weights[word] * n * weights[word]
	}
	if ofA == 0 || ofB == 0 {
		return 1
	}
	return float64(both) / math.Sqrt(float64(ofA)*float64(ofB))
}

// peak is the highest score that is reached from i without going down.
func peak(scores []float64, i, step int) float64 {
	top := scores[i]
	for i += step; i >= 0 && i < len(scores) && scores[i] >= top; i += step {
		top = scores[i]
	}
	return min(top, near) // how much two sides of one topic have in common varies
}

// Part is what of a conversation is kept under a topic: messages from one number up to, but not including, another.
// With a count these are that many last messages. Otherwise it is the stretch between two changes of the topic that has
// most of the topic's words, the latest of several, and the latest of all where none has any.
func Part(messages []Message, topic string, count int) (from, to int) {
	if count > 0 {
		from = max(0, len(messages)-count)
		for from > 0 && messages[from].Role == ToolRole {
			from-- // with its call
		}
		return from, len(messages)
	}
	wanted := map[string]bool{}
	for _, word := range search.Stems(topic) {
		wanted[word] = true
	}
	starts := Split(messages)
	most, to := 0, len(messages)
	for i := len(starts) - 1; i >= 0; i-- {
		found := map[string]bool{}
		for _, said := range stems(messages[starts[i]:to]) {
			for _, word := range said {
				if wanted[word] {
					found[word] = true
				}
			}
		}
		if i == len(starts)-1 || len(found) > most {
			most, from = len(found), starts[i]
		}
		to = starts[i]
	}
	return from, end(starts, from, len(messages))
}

// end is where the stretch ends that begins at from.
func end(starts []int, from, all int) int {
	for _, start := range starts {
		if start > from {
			return start
		}
	}
	return all
}
