package vm

// This file passes printed text on to Host.Write, up to the run's limit.

// An output is where a run prints. It is used by one goroutine at a time.
type output struct {
	send    func(Stream, string)
	limit   int
	used    int
	dropped int64
}

func (o *output) reset(limit int) { o.limit, o.used, o.dropped = limit, 0, 0 }

func (o *output) write(s Stream, text string) {
	if room := o.limit - o.used; len(text) > room {
		o.dropped += int64(len(text) - room)
		text = text[:room]
	}
	if text == "" {
		return
	}
	o.used += len(text)
	if o.send != nil {
		o.send(s, text)
	}
}
