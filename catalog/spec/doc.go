// Package spec reads the text of JSON Schemas and writes actions as text, for people and models: one line of a list, a
// specification for calling one, annotations for the Lua language server.
//
//	Action               what is written of one action
//	Detail               how much Describe tells: brief, full, LuaLS, JSON
//	Signature            what the line of an action is made of
//	Room                 lines shortened until they fit into so many tokens
//	Document             the text of a schema: its fields, type labels, a plausible value of its shape
//	Outline, Property    one level of a schema, and one field of it
//
// Schemas are read one level at a time and never as a tree, so that a catalog of 100,000 actions can be indexed without
// parsing all of them. Start at Action.Describe and NewSignature.
package spec
