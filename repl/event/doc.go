// Package event tells what happens in a shell, in order, and turns it into lines of text for any screen or none.
//
//	Event     one thing that happened: a cell began, a call ended, a person must decide
//	Feed      the ordered, bounded buffer from the worker to whatever shows the events; also asks for approvals
//	Lines     an event as lines with roles; RenderOptions say how
//	CallFold  puts calls into the order in which they read best, and many of one action in one line
//	Cell      one numbered input with all that came of it
//	Hit       an action that a search found
//
// A Feed is safe for concurrent use, and nobody who puts an event in waits for the screen, except for an answer.
package event
