// Package transcript reads a session's log back: as cells, as lines to show, and as files.
//
//	Cells     the cells of a log, with their scripts and calls
//	Past      a session that another one resumes: its last cells, what it left undone
//	Lines     all that a log tells, as a screen had shown it
//	Write     a log as Markdown to read, as Lua to run again, or as it is
//
// A log that was cut off, or whose records stand in any order, is read as far as it goes.
package transcript
