// Package search is a ranking engine for short documents: texts with weighted fields go in, hits with the reasons for
// their scores come out. It knows nothing of actions, and imports nothing of the program but its own package spelling.
//
//	Options, Field     what documents look like: their fields with weights, their kinds of keys
//	Document           the texts and keys of one document
//	Index              all documents; built once by Build, never changed, safe for concurrent use
//	Segment            what Scan found in some documents; Join makes an Index of some
//	Request, Ranking   a query, and the scores of all documents for it
//	Hit                a document and its score
//	Explanation        what each ranking feature added to the score of one document
//	Feature            the name of a ranking feature that can be switched off, to measure it (ablation)
//	Bits, Keys         sets of documents, and the documents that have a key
//	Section            a piece of a cached image: WriteImage, ReadImage
//
// rank.go defines the score. feature.go has the registry of ranking features: a new one is a file with its value and a
// row there; explanation and ablation use the same computation as the score.
//
// Everything is in memory, and in integers where the order depends on it, so that the same documents and query give the
// same order on every machine. Start at Build, then Index.Rank.
package search
