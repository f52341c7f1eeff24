package team

import "almanac/catalog"

// This file is questions between sessions: asked, answered, forwarded.

// questionEntries are the actions over questions.
func (t *Team) questionEntries() []catalog.Entry { return nil }
