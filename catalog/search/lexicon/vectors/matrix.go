package main

// This file turns co-occurrence into vectors: the positive pointwise mutual information of two stems in a document, and
// the leading eigenvectors of that matrix.

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

const (
	dims = 64
	// extra directions make subspace iteration converge sooner.
	extra      = 16
	iterations = 7
	// smoothing reduces the weight that rare words get by chance.
	smoothing = 0.75
	leastSeen = 3
)

// A vocabulary numbers stems in their order.
type vocabulary struct {
	words []string
	ids   map[string]int32
	seen  []int32 // documents that have a stem
	docs  int
}

// newVocabulary takes the n stems that most documents have. Pairs from operations count five times: they are fewer.
func newVocabulary(all []pair, n int) *vocabulary {
	count, plain := map[string]int32{}, map[string]int32{}
	for i := range all {
		stems := all[i].all()
		slices.Sort(stems)
		for _, st := range slices.Compact(stems) {
			plain[st]++
			if len(all[i].fields) > 1 {
				count[st] += 4
			}
			count[st]++
		}
	}
	var words []string
	for st := range count {
		if plain[st] >= leastSeen && len(st) > 1 && (st[0] < '0' || st[0] > '9') && len(st) <= 24 {
			words = append(words, st)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(-cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	words = words[:min(n, len(words))]
	slices.Sort(words)
	v := &vocabulary{words: words, ids: map[string]int32{}, docs: len(all)}
	for i, st := range words {
		v.ids[st] = int32(i)
		v.seen = append(v.seen, plain[st])
	}
	return v
}

// numbers are the known ones among stems.
func (v *vocabulary) numbers(stems []string) []int32 {
	var ids []int32
	for _, st := range stems {
		if id, ok := v.ids[st]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// sparse is a square matrix by rows.
type sparse struct {
	offsets []int
	columns []int32
	values  []float32
}

// information is the matrix of positive pointwise mutual information.
func information(v *vocabulary, all []pair) *sparse {
	documents := make([][]int32, len(all))
	rows := make([][]int32, len(v.words))
	for i := range all {
		ids := v.numbers(all[i].all())
		slices.Sort(ids)
		documents[i] = slices.Compact(ids)
		for _, id := range documents[i] {
			rows[id] = append(rows[id], int32(i))
		}
	}
	n := len(v.words)
	mass, smooth := make([]float64, n), make([]float64, n)
	for _, d := range documents {
		for _, id := range d {
			mass[id] += float64(len(d) - 1)
		}
	}
	total, smoothTotal := 0.0, 0.0
	for i, m := range mass {
		smooth[i] = math.Pow(m, smoothing)
		total += m
		smoothTotal += smooth[i]
	}
	m := &sparse{offsets: make([]int, 1, n+1)}
	count := make([]float64, n)
	for i := range n {
		var touched []int32
		for _, d := range rows[i] {
			for _, j := range documents[d] {
				if count[j] == 0 {
					touched = append(touched, j)
				}
				count[j]++
			}
		}
		slices.Sort(touched)
		for _, j := range touched {
			if int(j) != i {
				// The two directions are averaged, so that the matrix is symmetric.
				one := math.Log(count[j] * smoothTotal / (mass[i] * smooth[j]))
				two := math.Log(count[j] * smoothTotal / (mass[j] * smooth[i]))
				if x := (one + two) / 2; x > 0 {
					m.columns = append(m.columns, j)
					m.values = append(m.values, float32(x))
				}
			}
			count[j] = 0
		}
		m.offsets = append(m.offsets, len(m.columns))
	}
	return m
}

// parallel runs f over 0..n-1, split into a few ranges; calls for different numbers must not share data.
func parallel(n int, f func(i int)) {
	workers := min(2, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				f(i)
			}
		})
	}
	wait.Wait()
}

// factorise gives each stem of the vocabulary a vector.
func factorise(v *vocabulary, all []pair) [][]float32 {
	m := information(v, all)
	n, k := len(v.words), dims+extra
	random := rand.New(rand.NewPCG(1, 2))
	basis := make([][]float32, n)
	for i := range basis {
		basis[i] = make([]float32, k)
		for j := range basis[i] {
			basis[i][j] = float32(random.NormFloat64())
		}
	}
	for range iterations {
		basis = m.times(basis)
		orthonormal(basis)
	}
	// In the space of the basis the matrix is small.
	image := m.times(basis)
	small := make([][]float64, k)
	for a := range small {
		small[a] = make([]float64, k)
	}
	parallel(k, func(a int) {
		for i := range n {
			x := float64(basis[i][a])
			for b := range k {
				small[a][b] += float64(x * float64(image[i][b]))
			}
		}
	})
	values, turn := eigen(small)
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(-cmp.Compare(values[a], values[b]), a-b) })
	vectors := make([][]float32, n)
	parallel(n, func(i int) {
		vectors[i] = make([]float32, dims)
		idf := math.Log(float64(v.docs) / float64(v.seen[i]))
		norm := 0.0
		for d, e := range order[:dims] {
			x := 0.0
			for a := range k {
				x += float64(float64(basis[i][a]) * turn[a][e])
			}
			x *= math.Sqrt(max(values[e], 0))
			vectors[i][d] = float32(x)
			norm += float64(x * x)
		}
		scale := idf / math.Sqrt(norm+1e-9) / 8
		for d := range vectors[i] {
			vectors[i][d] = float32(float64(vectors[i][d]) * scale)
		}
	})
	return vectors
}

func (m *sparse) times(x [][]float32) [][]float32 {
	y := make([][]float32, len(x))
	parallel(len(x), func(i int) {
		row := make([]float32, len(x[0]))
		for e := m.offsets[i]; e < m.offsets[i+1]; e++ {
			v := m.values[e]
			for d, xd := range x[m.columns[e]] {
				row[d] += float32(v * xd)
			}
		}
		y[i] = row
	})
	return y
}

// orthonormal makes the columns of x orthonormal by Gram-Schmidt, twice for accuracy.
func orthonormal(x [][]float32) {
	k := len(x[0])
	columns := make([][]float64, k)
	for a := range columns {
		columns[a] = make([]float64, len(x))
		for i := range x {
			columns[a][i] = float64(x[i][a])
		}
	}
	for range 2 {
		for a := range k {
			for b := range a {
				s := 0.0
				for i, y := range columns[b] {
					s += float64(y * columns[a][i])
				}
				for i, y := range columns[b] {
					columns[a][i] -= float64(s * y)
				}
			}
			s := 0.0
			for _, y := range columns[a] {
				s += float64(y * y)
			}
			s = 1 / math.Sqrt(s+1e-30)
			for i := range columns[a] {
				columns[a][i] *= s
			}
		}
	}
	for i := range x {
		for a := range k {
			x[i][a] = float32(columns[a][i])
		}
	}
}

// eigen is the eigenvalues and eigenvectors, as columns, of a symmetric matrix, by Jacobi's rotations. It overwrites a.
func eigen(a [][]float64) ([]float64, [][]float64) {
	k := len(a)
	turn := make([][]float64, k)
	for i := range turn {
		turn[i] = make([]float64, k)
		turn[i][i] = 1
	}
	for range 30 {
		for p := range k {
			for q := p + 1; q < k; q++ {
				if math.Abs(a[p][q]) < 1e-12 {
					continue
				}
				theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
				t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
				if theta < 0 {
					t = -t
				}
				c := 1 / math.Sqrt(float64(t*t)+1)
				s := t * c
				for i := range k {
					x, y := a[i][p], a[i][q]
					a[i][p], a[i][q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
				}
				for i := range k {
					x, y := a[p][i], a[q][i]
					a[p][i], a[q][i] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
				}
				for i := range k {
					x, y := turn[i][p], turn[i][q]
					turn[i][p], turn[i][q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
				}
			}
		}
	}
	values := make([]float64, k)
	for i := range values {
		values[i] = a[i][i]
	}
	return values, turn
}
