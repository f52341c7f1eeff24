// Package spelling knows words by their letters: where text is cut into words, the one form of a name, how far two words are
// apart, and which of many names was meant. It knows nothing of what words mean.
//
//	EachWord, Plain    text in words, in lower case and without accents
//	Fold               a name in the one form that names are compared in: customerId is customer_id
//	Singular, Plural   of a folded name
//	Distance           the edits between two words
//	Nearest            the name that was meant by one that is not there: "did you mean"
//	List, Index        100,000 sorted names in flat memory, and those a few edits from another
//
// Start at Nearest for a hint in an error message, and at EachWord for what search sees of a text.
package spelling
