package vm

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
	"weak"
)

// This file keeps what a run reads that its script does not decide, and gives it to another run again. The rest of a
// machine is the same in every run: tables are walked in order, no other number is random, and a collection shows
// nowhere. What the host answers is the host's to repeat.

// A Tape is what a run has read of the clock and of the like: text that only this package reads, empty where it was
// nothing. A run that gets the tape of another run of the same script, with the same globals and the same answers of
// the host, does the same. What such a run reads beyond the tape is real.
//
//	time     os.time(), and os.date() without a time
//	clock    os.clock()
//	address  the number in tostring({}) and the like
//	ended    which of the calls made side by side ended next
//	random   the generator of math.random as of the beginning of the run, where the run used it
type Tape string

// A reading is what was read.
type reading int

const (
	readTime  reading = iota // seconds since 1970
	readClock                // microseconds
	readAddress
	readEnded // the host's ticket of the call
	readings
)

// maxReadings is how many readings a tape has at most.
const maxReadings = 10_000

const (
	tapeVersion = 1
	tapeFull    = 1 << 0
	tapeRandom  = 1 << 1
	// generatorSize is the size of the generator's state behind its name.
	generatorSize = 16
	generatorName = "pcg:"
)

var errTape = errors.New("the tape is damaged, or of another version")

// Full reports whether the run read more than a tape has room for.
func (t Tape) Full() bool {
	deck, err := t.open()
	return err == nil && deck.full
}

// Check is the error of a text that is no tape. A run that is given one reads what is real.
func (t Tape) Check() error {
	_, err := t.open()
	return err
}

// A deck plays one tape and records another.
type deck struct {
	given, read [readings][]int64
	room        int
	full        bool
	random      []byte // as of the beginning of the run, once it is used; of a tape, what is on it
}

// open reads a tape.
func (t Tape) open() (d deck, err error) {
	if t == "" {
		return d, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(string(t))
	if err != nil || len(data) < 2 || data[0] != tapeVersion {
		return deck{}, errTape
	}
	flags := data[1]
	data, d.full = data[2:], flags&tapeFull != 0
	if flags&tapeRandom != 0 {
		if len(data) < generatorSize {
			return deck{}, errTape
		}
		d.random, data = data[:generatorSize], data[generatorSize:]
	}
	for i := range d.given {
		count, size := binary.Uvarint(data)
		if size <= 0 || count > maxReadings {
			return deck{}, errTape
		}
		data = data[size:]
		var last int64
		for range count {
			step, size := binary.Varint(data)
			if size <= 0 {
				return deck{}, errTape
			}
			last += step
			d.given[i], data = append(d.given[i], last), data[size:]
		}
	}
	if len(data) > 0 {
		return deck{}, errTape
	}
	return d, nil
}

// tape is what was recorded.
func (d *deck) tape() Tape {
	if d.room == maxReadings && d.random == nil {
		return ""
	}
	data := []byte{tapeVersion, 0}
	if d.full {
		data[1] |= tapeFull
	}
	if d.random != nil {
		data[1] |= tapeRandom
		data = append(data, d.random...)
	}
	for _, list := range d.read {
		data = binary.AppendUvarint(data, uint64(len(list)))
		var last int64
		for _, n := range list {
			data = binary.AppendVarint(data, n-last)
			last = n
		}
	}
	return Tape(base64.RawURLEncoding.EncodeToString(data))
}

// play readies the machine for a run that reads from t.
func (m *Machine) play(t Tape) {
	given, _ := t.open() // of a damaged one there is nothing to read
	m.deck = deck{given: given.given, room: maxReadings}
	if given.random != nil {
		m.setGenerator(given.random)
	}
}

// next is the next reading of a kind: that on the tape, or else the real one.
func (d *deck) next(kind reading, real func() int64) int64 {
	n, ok := d.peek(kind)
	if ok {
		d.given[kind] = d.given[kind][1:]
	} else {
		n = real()
	}
	d.note(kind, n)
	return n
}

// peek is the next reading on the tape that was given.
func (d *deck) peek(kind reading) (n int64, ok bool) {
	if len(d.given[kind]) == 0 {
		return 0, false
	}
	return d.given[kind][0], true
}

// note records a reading.
func (d *deck) note(kind reading, n int64) {
	if d.room == 0 {
		d.full = true
		return
	}
	d.room--
	d.read[kind] = append(d.read[kind], n)
}

// now is the time, to the second.
func (m *Machine) now() time.Time {
	return time.Unix(m.deck.next(readTime, func() int64 { return time.Now().Unix() }), 0).UTC()
}

// clock is the Lua time of the run.
func (m *Machine) clock() time.Duration {
	micros := m.deck.next(readClock, func() int64 { return m.meter.elapsed().Microseconds() })
	return time.Duration(micros) * time.Microsecond
}

// random is the machine's generator; its state goes on the tape when a run first uses it.
func (m *Machine) random() *rand.PCG {
	if m.deck.random == nil {
		m.deck.random = m.generatorState()
	}
	return m.generator
}

func (m *Machine) generatorState() []byte {
	state, _ := m.generator.MarshalBinary() // has no error
	return state[len(generatorName):]
}

// setGenerator takes a state of generatorSize bytes.
func (m *Machine) setGenerator(state []byte) {
	_ = m.generator.UnmarshalBinary(append([]byte(generatorName), state...)) // of that size it has no error
}

// seed restores a generator that a script has seeded; without a state there is none, and the numbers are random.
func (m *Machine) seed(state []byte) {
	if m.seeded = len(state) > 0; m.seeded {
		m.setGenerator(state)
	} else {
		m.generator.Seed(rand.Uint64(), rand.Uint64())
	}
}

// Numbers tell objects apart where an address would, which no other run has: in the text of a table or a function, and
// in the order of keys that are neither text nor number. An object gets one when it is first asked for.
type numbers struct {
	of      map[weak.Pointer[byte]]int64
	last    int64
	sweepAt int
}

const firstNumbers = 1024

// has is the number of v, or zero.
func (n *numbers) has(v any) int64 { return n.of[weak.Make((*byte)(words(v).data))] }

// number is the number of v, a value with an address.
func (n *numbers) number(v any) int64 {
	at := weak.Make((*byte)(words(v).data))
	if i := n.of[at]; i > 0 {
		return i
	}
	if len(n.of) >= n.sweepAt {
		for key := range n.of {
			if key.Value() == nil {
				delete(n.of, key)
			}
		}
		n.sweepAt = max(firstNumbers, 2*len(n.of))
	}
	n.last++
	n.of[at] = n.last
	return n.last
}

// address is the text of a value that has nothing else to be told by.
func (m *Machine) address(v any) string {
	at := m.deck.next(readAddress, func() int64 { return m.numbers.number(v) })
	return fmt.Sprintf("%s: 0x%08x", m.typeName(v), uint32(at))
}
