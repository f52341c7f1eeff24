package bus

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// heard takes from what the server logs the little that a person has to know: that it could not write, which is told
// once, and that data which it read was damaged, once for each stream. The calls come from goroutines of the server.
type heard struct {
	failed  func(error)
	damaged func(stream string)

	once  sync.Once
	mu    sync.Mutex
	known []string // the streams that damage was told of
	met   bool     // damage
}

// Errorf looks for the words with which the server says that it could not write.
func (h *heard) Errorf(format string, v ...any) {
	said := strings.ToLower(format)
	if !strings.Contains(said, "write error") && !strings.Contains(said, "will be disabled") {
		return
	}
	err := errors.New("its server could not write")
	for _, one := range v {
		if cause, ok := one.(error); ok {
			err = cause
		}
	}
	h.once.Do(func() { h.failed(err) })
}

// Warnf looks for those about data that cannot be read: "Filestore [STREAM] indexCacheBuf corrupt ...".
func (h *heard) Warnf(format string, v ...any) {
	rest, ok := strings.CutPrefix(fmt.Sprintf(format, v...), "Filestore [")
	stream, what, named := strings.Cut(rest, "] ")
	if !ok || !named || !strings.Contains(what, "corrupt") && !strings.HasPrefix(what, "loadBlock error") {
		return
	}
	h.mu.Lock()
	h.met = true
	known := slices.Contains(h.known, stream)
	if !known {
		h.known = append(slices.Clip(h.known), stream)
	}
	h.mu.Unlock()
	if !known {
		h.damaged(stream)
	}
}

// damage is the streams that damage was told of, and whether this server has met any.
func (h *heard) damage() (known []string, met bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known, h.met
}

// The rest is not listened to.
func (h *heard) Noticef(string, ...any) {}
func (h *heard) Fatalf(string, ...any)  {}
func (h *heard) Debugf(string, ...any)  {}
func (h *heard) Tracef(string, ...any)  {}
