package text

// This file estimates how many tokens a model reads.

// Tokens estimates the number of tokens of s.
func Tokens(s string) int { return (len(s) + 3) / 4 }
