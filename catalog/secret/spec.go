package secret

// This file finds secret values written into an address or a command instead of their names.

import (
	"net/url"
	"regexp"
	"strings"
)

// Hidden replaces a value in the name of a source.
const Hidden = "***"

var (
	userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)([^/?#@\s]*(?:@[^/?#@\s]*)*)@`)
	queried  = regexp.MustCompile(`([?&][^=&#\s]*=)([^&#\s]*)`)
)

// Address returns a text without the user, password and query values of any address in it, and these values for a
// Cutter. A text without :// has none. A fragment after # stays.
func Address(text string) (shown string, values []string) {
	if !strings.Contains(text, "://") {
		return text, nil
	}
	keep := func(value string) {
		values = append(values, value)
		if plain, err := url.QueryUnescape(value); err == nil && plain != value {
			values = append(values, plain)
		}
	}
	text = userinfo.ReplaceAllStringFunc(text, func(match string) string {
		part := userinfo.FindStringSubmatch(match)
		user, password, both := strings.Cut(part[2], ":")
		keep(part[2])
		if keep(password); !both {
			keep(user)
		}
		return part[1] + Hidden + "@"
	})
	text = queried.ReplaceAllStringFunc(text, func(match string) string {
		part := queried.FindStringSubmatch(match)
		keep(part[2])
		return part[1] + Hidden
	})
	return text, long(values)
}

var (
	assigned = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*=)(.+)$`)
	flagged  = regexp.MustCompile(
		`^(--?[A-Za-z0-9_-]*(?i:token|secret|password|passwd|key|auth|credential)[A-Za-z0-9_-]*)(=(.+))?$`)
	// settings are variables whose values are harmless.
	settings = regexp.MustCompile(
		`^(NODE_ENV|LOG_LEVEL|LOGLEVEL|DEBUG|TZ|LANG|LC_[A-Z]+|PATH|HOME|USER|PWD|SHELL|TERM|RUST_LOG)=$`)
)

// Command returns the words of a command line without the values written into it, and these values for a Cutter:
// NAME=value, --token=value, --token value, and those of addresses. A value with a ${NAME} in it stays: it refers to
// one by name.
func Command(words []string) (shown, values []string) {
	next := false
	for _, word := range words {
		named := strings.Contains(word, "${")
		flag, part := flagged.FindStringSubmatch(word), assigned.FindStringSubmatch(word)
		switch {
		case next && !named && !strings.HasPrefix(word, "-"):
			values = append(values, word)
			word, next = Hidden, false
		case named, part != nil && settings.MatchString(part[1]):
			next = false
		case flag != nil && flag[3] != "":
			values = append(values, flag[3])
			word, next = flag[1]+"="+Hidden, false
		case flag != nil:
			next = true
		case part != nil:
			values = append(values, part[2])
			word, next = part[1]+Hidden, false
		default:
			var found []string
			word, found = Address(word)
			values, next = append(values, found...), false
		}
		shown = append(shown, word)
	}
	return shown, long(values)
}

func long(values []string) []string {
	var out []string
	for _, value := range values {
		if len(value) >= Least { // shorter ones are hidden in names only
			out = append(out, value)
		}
	}
	return out
}
