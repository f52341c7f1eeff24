// Package spelling compares words by their letters: splitting text into words, normalising names, edit distance, and
// guessing which of many names was meant. It knows nothing of their meaning.
//
//	EachWord, Plain    text in words, in lower case and without accents
//	Fold               a name in the one form that names are compared in: customerId is customer_id
//	Singular, Plural   of a folded name
//	Distance           the edits between two words
//	Nearest            the name that was meant by one that is not there: "did you mean"
//	List, Index        100,000 sorted names in flat memory, and those a few edits from another
//
// Start at Nearest for a hint in an error message, and at EachWord for how search reads text.
package spelling
