// Package tools is the model's interface to a session: three tools and the system prompt.
//
//	New           the tools: query, describe, execute
//	SystemPrompt  the model's role, the current policy and a summary of the catalog
//	Briefing      both for one conversation, with what changes while it lasts
//	Options       the prefix of the tools' names
//
// Arguments are checked strictly. Answers are terse: the model pays for every token, again in each turn.
// Start at NewBriefing.
package tools
