package text

// This file estimates how many tokens a model reads. A tokenizer carries its vocabulary, 12 MB that take 50 ms to load;
// docs/evaluation.md says how far the estimate is off.

// What the runs of characters in a text take, in hundredths of a token: fitted to the vocabulary of GPT-4o.
const (
	wordTokens   = 100 // a word: letters up to a capital that begins the next; the blank before it is part of it
	longTokens   = 3   // each of its letters from the 6th to the 10th
	longerTokens = 24  // and of those behind
	digitTokens  = 167 // up to three digits
	punctTokens  = 92  // a run of punctuation
	moreTokens   = 7   // each of its characters but the first
	joinTokens   = 28  // an underscore by itself
	lineTokens   = 45  // line ends
	blankTokens  = 41  // more than one blank
	otherTokens  = 25  // each byte that is not ASCII
)

// Tokens estimates the number of tokens of s.
func Tokens(s string) int {
	sum := 0
	for i := 0; i < len(s); {
		kind, from := kindOf(s[i]), i
		for i++; i < len(s); i++ {
			next := kindOf(s[i])
			if next != kind && !(kind == upper && next == lower) {
				break
			}
			if next == lower {
				kind = lower
			}
		}
		n := i - from
		switch kind {
		case upper, lower:
			sum += wordTokens + min(max(n-5, 0), 5)*longTokens + max(n-10, 0)*longerTokens
		case digit:
			sum += (n + 2) / 3 * digitTokens
		case blank:
			sum += min(n-1, 1) * blankTokens
		case line:
			sum += lineTokens
		case other:
			sum += n * otherTokens
		case punct:
			if n == 1 && s[from] == '_' {
				sum += joinTokens
			} else {
				sum += punctTokens + (n-1)*moreTokens
			}
		}
	}
	return min(len(s), max(1, (sum+50)/100))
}

type kind byte

const (
	punct kind = iota
	lower
	upper
	digit
	blank
	line
	other
)

func kindOf(c byte) kind {
	switch {
	case c >= 'a' && c <= 'z':
		return lower
	case c == ' ' || c == '\t':
		return blank
	case c >= 'A' && c <= 'Z':
		return upper
	case c >= '0' && c <= '9':
		return digit
	case c == '\n' || c == '\r':
		return line
	case c >= 0x80:
		return other
	}
	return punct
}
