package catalog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
)

// imageOf is a catalog as bytes: all that search finds and takes depends on them.
func imageOf(t testing.TB, c *Catalog) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteImage(&b, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kept is a segment written and opened again.
func kept(t testing.TB, s *Segment) *Segment {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteImage(&b, []byte("a remark")); err != nil {
		t.Fatal(err)
	}
	opened, remark, err := OpenSegment(b.Bytes(), OpenOptions{})
	if err != nil || string(remark) != "a remark" {
		t.Fatalf("remark %q, error %v", remark, err)
	}
	return opened
}

// streamed is a segment of entries that come some at a time.
func streamed(random *rand.Rand, entries []Entry) *Segment {
	b := NewBuilder(0, nil)
	for left := slices.Clone(entries); len(left) > 0; {
		n := min(len(left), random.IntN(300))
		b.Add(left[:n:n])
		left = left[n:]
	}
	return b.Segment()
}

// TestJoinIsBuildingWhole deals entries out to segments at random, in runs and one by one, builds some of the segments
// while their entries come, keeps some and joins them: the image is the same, byte for byte, as that of a catalog of
// all entries, so every hit and every score is. Segments are joined more than once.
func TestJoinIsBuildingWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, entries := range [][]Entry{mixed(3000), office(), samples(), nil} {
		whole, _ := New(entries, Options{})
		want := imageOf(t, whole)
		for _, n := range []int{1, 2, 5} {
			dealt := make([][]Entry, n)
			to, run := 0, 0
			for _, e := range entries {
				if run--; run < 0 {
					to, run = random.IntN(n), random.IntN(1+random.IntN(400))
				}
				dealt[to] = append(dealt[to], e)
			}
			var segments []*Segment
			for i, some := range dealt {
				random.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
				s, report := NewSegment(slices.Clone(some), Options{})
				if len(report.Skipped) > 0 {
					t.Fatal(report.Skipped)
				}
				if random.IntN(2) == 0 {
					s = streamed(random, some)
				}
				if i%2 == 0 {
					s = kept(t, s)
				}
				segments = append(segments, s)
			}
			for range 2 {
				c, err := Join(segments, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(imageOf(t, c), want) {
					t.Fatalf("%d entries in %d segments: another image than of all", len(entries), n)
				}
				random.Shuffle(n, func(a, b int) { segments[a], segments[b] = segments[b], segments[a] })
			}
		}
	}
	one, _ := NewSegment(office(), Options{})
	if _, err := Join([]*Segment{one, kept(t, one)}, Options{}); err == nil {
		t.Error("two segments with the same ids were joined")
	}
}

// resummed is an image with the checksum of what it has.
func resummed(image []byte) []byte {
	end := len(image) - 8
	sum := crc32.Checksum(image[16:end], crc32.MakeTable(crc32.Castagnoli))
	binary.NativeEndian.PutUint64(image[end:], uint64(sum))
	return image
}

// FuzzOpenSegment damages a kept segment in any place, behind a checksum that is right: it is refused, or it can be
// joined and searched.
func FuzzOpenSegment(f *testing.F) {
	s := streamed(rand.New(rand.NewPCG(1, 2)), office())
	var b bytes.Buffer
	if err := s.WriteImage(&b, nil); err != nil {
		f.Fatal(err)
	}
	image := b.Bytes()
	for at := uint32(0); int(at) < len(image); at += uint32(len(image) / 200) {
		f.Add(at, byte(0x81))
	}
	f.Fuzz(func(t *testing.T, at uint32, flip byte) {
		damaged := slices.Clone(image)
		damaged[int(at)%len(damaged)] ^= flip
		s, _, err := OpenSegment(resummed(damaged), OpenOptions{})
		if err != nil {
			if !errors.Is(err, ErrImage) {
				t.Fatal(err)
			}
			return
		}
		if c, err := Join([]*Segment{s}, Options{}); err == nil {
			mustSearch(t, c.View(), "list unpaid invoices", SearchOptions{})
		}
	})
}
