package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"almanac/catalog/unknown"
)

// This file writes whole results and arguments, of which a record has a part, for a replay. They are kept beside the
// log, each once, and a record has their digests.

const (
	// maxKept is how large one value that is kept may be, in bytes.
	maxKept = 8 << 20
	// maxKeptAll is how many bytes of them a session keeps, before they are compressed. It has the digests of all.
	maxKeptAll = 256 << 20
	// deepestKept is how deep a value may nest.
	deepestKept = 200
)

// KeptPath is where whole values of the session with the log at path are kept.
func KeptPath(path string) string { return strings.TrimSuffix(path, ".jsonl") + ".kept" }

// Pack writes data so that Unpack gives the same again, and the digest by which it is found. Equal data has the same.
func Pack(data any) (packed []byte, digest string, err error) {
	enc, err := cbor.EncOptions{Sort: cbor.SortBytewiseLexical, BinaryMarshaler: cbor.BinaryMarshalerNone}.EncMode()
	if err == nil {
		packed, err = enc.Marshal(data)
	}
	if err != nil {
		return nil, "", fmt.Errorf("pack: %w", err)
	}
	sum := sha256.Sum256(packed)
	return packed, hex.EncodeToString(sum[:]), nil
}

// Unpack reads what Pack wrote.
func Unpack(packed []byte) (data any, err error) {
	dec, err := cbor.DecOptions{
		MaxNestedLevels: deepestKept + 1, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		IntDec: cbor.IntDecConvertSignedOrFail, DefaultMapType: reflect.TypeFor[map[string]any](),
		DefaultByteStringType: reflect.TypeFor[unknown.Value](), UTF8: cbor.UTF8DecodeInvalid,
		BinaryUnmarshaler: cbor.BinaryUnmarshalerNone,
	}.DecMode()
	if err == nil {
		err = dec.Unmarshal(packed, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return data, nil
}

// Exact tells that a log gives data back as it is: JSON has no NaN, no bytes that are no text, and its numbers are read
// as floats.
func Exact(data any) bool {
	const most = 1 << 53
	switch v := data.(type) {
	case unknown.Value:
		return false
	case string:
		return utf8.ValidString(v)
	case int64:
		return -most <= v && v <= most
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		for _, item := range v {
			if !Exact(item) {
				return false
			}
		}
	case map[string]any:
		for name, item := range v {
			if !utf8.ValidString(name) || !Exact(item) {
				return false
			}
		}
	}
	return true
}

// keep stores the values of a record. What cannot be stored is not missed before a replay: the first such time is
// noted.
func (l *Log) keep(values [][]byte) (note string) {
	for _, data := range values {
		if l.put == nil {
			return ""
		}
		sum := sha256.Sum256(data)
		if l.kept[sum] || len(data) > maxKept {
			continue
		}
		l.keptSize += int64(len(data))
		err := fmt.Errorf("they have reached their limit of %d MiB", maxKeptAll>>20)
		if l.keptSize <= maxKeptAll {
			_, err = l.put(data)
		}
		if err != nil {
			l.put = nil
			return fmt.Sprintf("whole results are no longer kept for a replay: %v", err)
		}
		l.kept[sum] = true
	}
	return ""
}
