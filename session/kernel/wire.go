package kernel

// This file defines the frames that the two processes exchange. A frame is a four-byte big-endian length, one byte for
// its kind, and a CBOR item; the length counts the kind and the item. Frames are checked before they are decoded, so
// that reading one costs at most a fixed multiple of its size.

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"almanac/catalog/unknown"
	"almanac/session/vm"
)

const (
	// wireVersion goes up with every change of a frame.
	wireVersion = 8
	// maxFrame is the largest frame either side sends or takes, in bytes.
	maxFrame = 16 << 20
	// maxItems is how many CBOR items one frame may hold: it bounds what decoding costs in memory.
	maxItems = 1 << 20
	// maxDepth is how deep data may nest; frames nest a few levels deeper.
	maxDepth  = 200
	maxLevels = maxDepth + 16
	// keepBuffer is the largest buffer kept for the next frame.
	keepBuffer = 1 << 20
)

// A kind says what a frame is.
type kind byte

// The frames, and who sends them.
const (
	kindHello       kind = 'h' // child: hello, once, when it is confined
	kindStart       kind = 's' // parent: start, once
	kindReady       kind = 'y' // child: ready, once, when the machine stands
	kindRun         kind = 'r' // parent: runRequest, answered by kindReply
	kindReply       kind = 'R' // child: vm.Reply
	kindKeys        kind = 'k' // parent: path as []string, answered by kindKeyList
	kindKeyList     kind = 'K' // child: []vm.Key
	kindLook        kind = 'l' // parent: lookRequest, answered by kindPage
	kindPage        kind = 'L' // child: vm.Page
	kindRows        kind = 'd' // parent: rowsRequest, answered by kindRowList
	kindRowList     kind = 'D' // child: vm.Rows
	kindGlobals     kind = 'g' // parent: nil, answered by kindGlobList
	kindGlobList    kind = 'G' // child: []vm.Global
	kindState       kind = 'e' // parent: stateRequest, answered by kindStateIs
	kindStateIs     kind = 'E' // child: stateReply
	kindSnapshot    kind = 't' // parent: snapshotRequest, answered by kindPiece any number of times and kindSnapshotEnd
	kindSnapshotEnd kind = 'T' // child: snapshotEnd
	kindPiece       kind = 'p' // either: piece; the parent's last one is answered by kindRestored
	kindRestored    kind = 'P' // child: restored
	kindPing        kind = 'n' // parent: nil, answered by kindPong
	kindPong        kind = 'N' // child: true
	kindCall        kind = 'c' // child in a run: callRequest, answered by kindAnswer
	kindOp          kind = 'o' // child in a run: opRequest, answered by kindAnswer
	kindWrite       kind = 'w' // child in a run: []written, not answered
	kindAnswer      kind = 'a' // parent in a run: answer
	kindInterrupt   kind = 'i' // parent at any time: interrupt, not answered
)

type hello struct {
	Version int
	// Missing names the walls that this system could not put up.
	Missing []string
}

type start struct {
	Version int
	Limits  vm.Limits
	Prelude vm.Compiled
}

type ready struct {
	// Error is why there is no machine; "" when there is one.
	Error string
}

type runRequest struct {
	// Seq numbers the runs of a kernel, so that a late interrupt does not end the next one.
	Seq    uint64
	Script vm.Script
	Limits vm.Limits
}

type lookRequest struct {
	Path        []vm.Step
	From, Limit int
	Wide        int
}

type rowsRequest struct {
	Path        []vm.Step
	From, Limit int
}

// A stateRequest asks for the state, after it has become Data where Set is.
type stateRequest struct {
	Set  bool
	Data map[string]any
}

// A stateReply has the state where it was not set, and how the globals changed where it was. Error is why it could not
// be read or set.
type stateReply struct {
	Error   string
	State   vm.State
	Globals []vm.Global
	Changed vm.Diff
}

type interrupt struct {
	Seq    uint64
	Reason string
}

type callRequest struct {
	_    struct{} `cbor:",toarray"`
	ID   string
	Line int
	Args map[string]any
}

type opRequest struct {
	_    struct{} `cbor:",toarray"`
	Name string
	Args []any
}

type written struct {
	_      struct{} `cbor:",toarray"`
	Stream vm.Stream
	Text   string
}

type answer struct {
	_     struct{} `cbor:",toarray"`
	Value any
	Err   *hostError
}

// A hostError is an error of the parent's Host on its way to the machine.
type hostError struct {
	// Typed is true for a *vm.HostError; otherwise only Message counts.
	Typed bool
	vm.HostError
}

// A codec encodes and decodes frames. It may be used concurrently.
type codec struct {
	enc cbor.UserBufferEncMode
	// marked decodes byte strings among values as values that only a real run gives; dec has none.
	dec, marked cbor.DecMode
}

func newCodec() (*codec, error) {
	var reject []func(*cbor.SimpleValueRegistry) error
	for i := range 256 {
		// 20 to 22 are false, true and null; 24 to 31 are not legal at all.
		if i < 20 || i == 23 || i > 31 {
			reject = append(reject, cbor.WithRejectedSimpleValue(cbor.SimpleValue(i)))
		}
	}
	simple, err := cbor.NewSimpleValueRegistryFromDefaults(reject...)
	if err != nil {
		return nil, err
	}
	options := cbor.DecOptions{
		DupMapKey:                cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:          maxLevels,
		MaxArrayElements:         maxItems,
		MaxMapPairs:              maxItems,
		IndefLength:              cbor.IndefLengthForbidden,
		TagsMd:                   cbor.TagsForbidden,
		IntDec:                   cbor.IntDecConvertSignedOrFail,
		ExtraReturnErrors:        cbor.ExtraDecErrorUnknownField,
		DefaultMapType:           reflect.TypeFor[map[string]any](),
		DefaultByteStringType:    reflect.TypeFor[string](),
		UTF8:                     cbor.UTF8DecodeInvalid,
		FieldNameMatching:        cbor.FieldNameMatchingCaseSensitive,
		SimpleValues:             simple,
		BinaryUnmarshaler:        cbor.BinaryUnmarshalerNone,
		MapKeyByteString:         cbor.MapKeyByteStringForbidden,
		ByteStringToString:       cbor.ByteStringToStringForbidden,
		FieldNameByteString:      cbor.FieldNameByteStringForbidden,
		BignumTag:                cbor.BignumTagForbidden,
		ByteStringToTime:         cbor.ByteStringToTimeForbidden,
		ByteStringExpectedFormat: cbor.ByteStringExpectedFormatNone,
	}
	dec, err := options.DecMode()
	if err != nil {
		return nil, err
	}
	options.DefaultByteStringType = reflect.TypeFor[unknown.Value]()
	marked, err := options.DecMode()
	if err != nil {
		return nil, err
	}
	enc, err := cbor.EncOptions{BinaryMarshaler: cbor.BinaryMarshalerNone}.UserBufferEncMode()
	if err != nil {
		return nil, err
	}
	return &codec{enc: enc, dec: dec, marked: marked}, nil
}

// decode checks payload and decodes it into v, a pointer. What v holds does not refer to payload.
func (c *codec) decode(payload []byte, v any) error {
	if err := scan(payload, true); err != nil {
		return err
	}
	return c.dec.Unmarshal(payload, v)
}

// decodeValues is decode for a frame of a run, which holds values of Lua. Those that only a real run gives are there in
// a preview alone: elsewhere they break the protocol.
func (c *codec) decodeValues(payload []byte, v any, preview bool) error {
	if err := scan(payload, preview); err != nil {
		return err
	}
	return c.marked.Unmarshal(payload, v)
}

// frame encodes v as a frame, or reports a *sizeError.
func (c *codec) frame(k kind, v any) ([]byte, error) {
	var buf bytes.Buffer
	buf.Write(openFrame(nil, k))
	if err := c.enc.MarshalToBuffer(v, &buf); err != nil {
		return nil, err
	}
	return sealFrame(buf.Bytes())
}

// openFrame starts a frame in buf, whose content it drops.
func openFrame(buf []byte, k kind) []byte {
	return append(buf[:0], 0, 0, 0, 0, byte(k))
}

// sealFrame fills in the length of a frame that openFrame began.
func sealFrame(frame []byte) ([]byte, error) {
	size := len(frame) - 4
	if size > maxFrame {
		return nil, &sizeError{"larger than 16 MiB"}
	}
	binary.BigEndian.PutUint32(frame, uint32(size))
	return frame, nil
}

// A frameReader takes frames from a pipe. One goroutine may use it at a time.
type frameReader struct {
	r   *bufio.Reader
	buf []byte
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next frame. The payload is good until the next call. An error is io.EOF only between frames.
func (f *frameReader) next() (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(f.r, head[:4]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	if size < 1 || size > maxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes", size)
	}
	if _, err := io.ReadFull(f.r, head[4:]); err != nil {
		return 0, nil, whole(err)
	}
	n := int(size) - 1
	if cap(f.buf) < n || cap(f.buf) > keepBuffer {
		f.buf = make([]byte, max(n, 4<<10))
	}
	payload := f.buf[:n]
	if _, err := io.ReadFull(f.r, payload); err != nil {
		return 0, nil, whole(err)
	}
	return kind(head[4]), payload, nil
}

// whole is the error of reading the rest of a frame: an end there is not expected.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A frameWriter puts frames into a pipe, one at a time; it may be used concurrently.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (f *frameWriter) send(frame []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.w.Write(frame)
	return err
}

// errCut is the error of an item that says to be longer than its frame.
var errCut = errors.New("frame: truncated")

// scan reports whether b is one CBOR item that the decoder may be given: whole, of definite length, untagged, without
// odd simple values, within maxItems and maxLevels, and without byte strings unless they are expected.
func scan(b []byte, bytes bool) error {
	var left [maxLevels + 1]uint64 // items still to come at each level
	left[0] = 1
	level, items := 0, 0
	for {
		for left[level] == 0 {
			if level == 0 {
				if len(b) > 0 {
					return fmt.Errorf("frame: %d bytes after the end", len(b))
				}
				return nil
			}
			level--
		}
		left[level]--
		if items++; items > maxItems {
			return &sizeError{fmt.Sprintf("more than %d values", maxItems)}
		}
		major, arg, rest, err := scanHead(b)
		if err != nil {
			return err
		}
		b = rest
		switch major {
		case 2, 3:
			if major == 2 && !bytes {
				return errors.New("frame: a value of a preview in a run that is none")
			}
			if arg > uint64(len(b)) {
				return errCut
			}
			b = b[arg:]
		case 4, 5:
			// Each item takes a byte at least: a count beyond the rest of the frame is a lie.
			if arg > uint64(len(b)) {
				return errCut
			}
			if level++; level > maxLevels {
				return &sizeError{fmt.Sprintf("nested deeper than %d levels", maxDepth)}
			}
			left[level] = arg * uint64(major-3)
		}
	}
}

// scanHead takes the head of an item off b: its major type and its argument, which for floats and simple values means
// nothing.
func scanHead(b []byte) (major byte, arg uint64, rest []byte, err error) {
	if len(b) == 0 {
		return 0, 0, nil, errCut
	}
	major, low := b[0]>>5, b[0]&31
	b = b[1:]
	if major == 6 || low > 27 {
		return 0, 0, nil, fmt.Errorf("frame: item 0x%02x is not allowed", major<<5|low)
	}
	if major == 7 && low != 20 && low != 21 && low != 22 && low < 25 {
		return 0, 0, nil, fmt.Errorf("frame: simple value %d is not allowed", low)
	}
	if low < 24 {
		return major, uint64(low), b, nil
	}
	size := 1 << (low - 24)
	if len(b) < size {
		return 0, 0, nil, errCut
	}
	for _, c := range b[:size] {
		arg = arg<<8 | uint64(c)
	}
	return major, arg, b[size:], nil
}
