// Package keeper keeps parts of conversations for a team, and finds them again.
//
//	Message    one message of a conversation
//	Keeper     some messages under a topic, and who kept them when
//	Passage    a piece of a keeper that answers are made of
//	Library    keepers, and the index of their passages
//	Store      the keepers of a team on JetStream, followed into a Library
//	Answer     what was found, as text of bounded length
//
// Split says where a conversation changes its topic, Question whether a query asks for an answer or has keywords. All
// but Store is pure: the same keepers and query give the same answer.
//
// Start at Library.Find.
package keeper
