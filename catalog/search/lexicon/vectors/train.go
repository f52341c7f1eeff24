package main

// This file trains the vectors so that a text is nearer to what it describes than to what the other texts of its batch
// describe (in-batch contrastive learning), with Adam. Some of the others are from the same document, which makes them
// harder to tell apart.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

const (
	batchSize   = 512
	temperature = 0.08
	firstRate   = 0.01
	lastRate    = 0.001
	dropped     = 0.15
	// together is how many pairs of one document stand side by side in a batch.
	together = 8
)

// A weighted word of a side of a pair.
type weighted struct {
	id     int32
	weight float32
}

// weigh is the words of one side, each with the weight of its field over the square root of the field's length.
func (v *vocabulary) weigh(fields ...field) []weighted {
	var words []weighted
	for _, f := range fields {
		ids := v.numbers(f.stems)
		for _, id := range ids {
			words = append(words, weighted{id, f.weight / float32(math.Sqrt(float64(len(ids))))})
		}
	}
	return words
}

// A side is the vectors of one side of a batch.
type side struct {
	words [][]weighted
	unit  [][]float32
	norm  []float32
	grad  [][]float32
}

func newSide() *side {
	s := &side{words: make([][]weighted, batchSize), norm: make([]float32, batchSize)}
	for range batchSize {
		s.unit = append(s.unit, make([]float32, dims))
		s.grad = append(s.grad, make([]float32, dims))
	}
	return s
}

func (s *side) embed(i int, vectors [][]float32) {
	u := s.unit[i]
	clear(u)
	for _, w := range s.words[i] {
		for d, x := range vectors[w.id] {
			u[d] += float32(w.weight * x)
		}
	}
	n := float32(math.Sqrt(float64(dot(u, u)) + 1e-12))
	for d := range u {
		u[d] /= n
	}
	s.norm[i] = n
	clear(s.grad[i])
}

func dot(x, y []float32) float32 {
	var a, b, c, d float32
	for i := 0; i+3 < len(x); i += 4 {
		a += float32(x[i] * y[i])
		b += float32(x[i+1] * y[i+1])
		c += float32(x[i+2] * y[i+2])
		d += float32(x[i+3] * y[i+3])
	}
	return (a + b) + (c + d)
}

func addScaled(to []float32, k float32, x []float32) {
	for i, y := range x {
		to[i] += float32(k * y)
	}
}

// adam holds the moments of every vector.
type adam struct {
	first, second [][]float32
	grad          [][]float32
	touched       []int32
	isTouched     []bool
	steps         int
}

func newAdam(vectors [][]float32) *adam {
	a := &adam{isTouched: make([]bool, len(vectors))}
	for range vectors {
		a.first = append(a.first, make([]float32, dims))
		a.second = append(a.second, make([]float32, dims))
		a.grad = append(a.grad, make([]float32, dims))
	}
	return a
}

// collect adds a side's gradients to those of its words.
func (a *adam) collect(s *side) {
	for i, words := range s.words {
		g, u := s.grad[i], s.unit[i]
		along := dot(g, u)
		for d := range g {
			g[d] = (g[d] - float32(along*u[d])) / s.norm[i]
		}
		for _, w := range words {
			if !a.isTouched[w.id] {
				a.isTouched[w.id] = true
				a.touched = append(a.touched, w.id)
			}
			addScaled(a.grad[w.id], w.weight, g)
		}
	}
}

func (a *adam) step(vectors [][]float32, rate float64) {
	a.steps++
	rate *= math.Sqrt(1-math.Pow(.999, float64(a.steps))) / (1 - math.Pow(.9, float64(a.steps)))
	r := float32(rate)
	for _, id := range a.touched {
		for d, g := range a.grad[id] {
			m := float32(.9*a.first[id][d]) + float32(.1*g)
			v := float32(.999*a.second[id][d]) + float32(.001*float32(g*g))
			a.first[id][d], a.second[id][d] = m, v
			vectors[id][d] -= float32(r * m / (float32(math.Sqrt(float64(v))) + 1e-8))
		}
		clear(a.grad[id])
		a.isTouched[id] = false
	}
	a.touched = a.touched[:0]
}

// train adjusts vectors in place.
func train(v *vocabulary, vectors [][]float32, all []pair, epochs int, say func(string, ...any)) {
	random := rand.New(rand.NewPCG(3, 4))
	var texts, targets [][]weighted
	var documents []int
	for i := range all {
		text, target := v.weigh(field{1, all[i].text}), v.weigh(all[i].fields...)
		if len(text) >= 2 && len(target) > 0 {
			texts, targets, documents = append(texts, text), append(targets, target), append(documents, all[i].document)
		}
	}
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	a := newAdam(vectors)
	from, to := newSide(), newSide()
	chances := make([][]float32, batchSize)
	for i := range chances {
		chances[i] = make([]float32, batchSize)
	}
	batches := len(order) / batchSize
	for epoch := range epochs {
		mix(order, documents, random)
		sum := 0.0
		for b := range batches {
			for i, p := range order[b*batchSize : (b+1)*batchSize] {
				from.words[i] = from.words[i][:0]
				for _, w := range texts[p] {
					if random.Float64() >= dropped {
						from.words[i] = append(from.words[i], w)
					}
				}
				to.words[i] = targets[p]
			}
			sum += contrast(vectors, from, to, chances)
			a.collect(from)
			a.collect(to)
			done := float64(epoch*batches+b) / float64(epochs*batches)
			a.step(vectors, firstRate+(lastRate-firstRate)*done)
		}
		say("epoch %d: loss %.3f", epoch+1, sum/float64(max(1, batches)))
	}
}

// mix shuffles the pairs, keeping up to together pairs of one document side by side; pairs without a document are
// shuffled singly.
func mix(order, documents []int, random *rand.Rand) {
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(documents[a], documents[b]) })
	var runs [][]int
	rest := slices.Clone(order)
	for len(rest) > 0 {
		n, document := 1, documents[rest[0]]
		for document > 0 && n < min(together, len(rest)) && documents[rest[n]] == document {
			n++
		}
		runs, rest = append(runs, rest[:n]), rest[n:]
	}
	random.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	order = order[:0]
	for _, run := range runs {
		order = append(order, run...)
	}
}

// contrast computes the gradients of one batch and returns its mean loss.
func contrast(vectors [][]float32, from, to *side, chances [][]float32) float64 {
	parallel(batchSize, func(i int) {
		from.embed(i, vectors)
		to.embed(i, vectors)
	})
	losses := make([]float64, batchSize)
	parallel(batchSize, func(i int) {
		row, total := chances[i], 0.0
		for j := range row {
			// Cosines are at most 1, so that nothing overflows.
			x := math.Exp(float64(dot(from.unit[i], to.unit[j])-1) / temperature)
			row[j] = float32(x)
			total += x
		}
		losses[i] = math.Log(total / float64(row[i]+1e-30))
		for j := range row {
			row[j] = float32(float64(row[j]) / total / batchSize / temperature)
		}
		row[i] -= 1.0 / batchSize / temperature
		for j, c := range row {
			addScaled(from.grad[i], c, to.unit[j])
		}
	})
	parallel(batchSize, func(j int) {
		for i := range chances {
			addScaled(to.grad[j], chances[i][j], from.unit[i])
		}
	})
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	return sum / batchSize
}

// write stores the file that vectors.go of catalog/search reads: a line with the number of stems, of dimensions and of
// letters; where each stem ends among the letters, in four little-endian bytes; the letters; and for each stem a
// length, one byte, and a direction, a signed byte for each dimension. A vector is length times direction, in a unit of
// its own.
func write(file string, v *vocabulary, vectors [][]float32) error {
	peaks, most := make([]float64, len(vectors)), 0.0
	for i, x := range vectors {
		for _, y := range x {
			peaks[i] = max(peaks[i], math.Abs(float64(y)), 1e-9)
		}
		most = max(most, peaks[i])
	}
	letters := strings.Join(v.words, "")
	b := fmt.Appendln(nil, len(v.words), dims, len(letters))
	end := 0
	for _, st := range v.words {
		end += len(st)
		b = binary.LittleEndian.AppendUint32(b, uint32(end))
	}
	b = append(b, letters...)
	for i, x := range vectors {
		b = append(b, byte(max(1, math.Round(255*peaks[i]/most))))
		for _, y := range x {
			b = append(b, byte(int8(math.Round(127*float64(y)/peaks[i]))))
		}
	}
	return os.WriteFile(file, b, 0o644)
}
