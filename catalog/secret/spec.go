package secret

// This file finds secret values written into an address or a command instead of their names.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Hidden replaces a value in the name of a source.
const Hidden = "***"

// bearer stands between an address and the name of the variable that holds its token.
const bearer = "#bearer="

var (
	userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)([^/?#@\s]*(?:@[^/?#@\s]*)*)@`)
	queried  = regexp.MustCompile(`([?&][^=&#\s]*=)([^&#\s]*)`)
	fragment = regexp.MustCompile(`#(\w+=)?([^#\s]+)`)
)

// Address returns a text without the user, password and query values of any address in it, and these values for a
// Cutter. A text without :// has none. A fragment after # stays if it is a name, a pointer or bearer=NAME, which may
// stand behind a host without a scheme, too.
func Address(text string) (shown string, values []string) {
	whole := strings.Contains(text, "://")
	if !whole && !strings.Contains(text, bearer) {
		return text, nil
	}
	keep := func(value string) {
		values = append(values, value)
		if plain, err := url.QueryUnescape(value); err == nil && plain != value {
			values = append(values, plain)
		}
	}
	text = fragment.ReplaceAllStringFunc(text, func(match string) string {
		part := fragment.FindStringSubmatch(match)
		if IsName(part[2]) || part[2] == Hidden || strings.HasPrefix(part[2], "/") || !whole && "#"+part[1] != bearer {
			return match
		}
		keep(part[2])
		return "#" + part[1] + Hidden
	})
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

// Place is Address for the name of a source. Behind it stand four letters in place of the query values that are no
// secrets by their names and looks, so that addresses which differ in these keep apart: "https://host/x?v=*** (1a2b)".
// What Place has returned stays as it is.
func Place(text string) (shown string, values []string) {
	shown, values = Address(text)
	sum, any := sha256.New(), false
	for _, part := range queried.FindAllStringSubmatch(text, -1) {
		name := strings.Trim(part[1], "?&=")
		if part[2] != "" && part[2] != Hidden && strings.Contains(text, "://") && !Suspicious(name, part[2]) {
			fmt.Fprintf(sum, "%s=%s\x00", name, part[2])
			any = true
		}
	}
	if any {
		shown += " (" + hex.EncodeToString(sum.Sum(nil)[:2]) + ")"
	}
	return shown, values
}

var (
	assigned = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*=)(.+)$`)
	flagged  = regexp.MustCompile(
		`^(--?[A-Za-z0-9_-]*(?i:token|secret|password|passwd|key|auth|credential)[A-Za-z0-9_-]*)(=(.+))?$`)
	// telling are words of the names of secrets; PASS, PAT and the like stand alone, since COMPASS and PATH hold none.
	telling = regexp.MustCompile(`(?i)token|secret|passw|passphrase|key|auth|credential|cookie|bearer|` +
		`(^|_)(pass|pwd|pat|pw|sas|jwt|pin|dsn)(_|$)`)
	// harmless names have one of these words, and values that are no secret.
	harmless = regexp.MustCompile(`(?i)^PWD$|keyboard|author(s|_|$)|max_?tokens|token_?(limit|budget|count)`)
	random   = regexp.MustCompile(`^[A-Za-z0-9+_=-]{20,}$`)
	// issued begins the tokens of some services, whose rest may look like a name.
	issued = regexp.MustCompile(`^(sk[-_]|[pr]k_(live|test)_|gh[oprsu]_|github_pat_|gl[a-z]{1,4}-|xox[a-z]-|eyJ|AKIA)`)
	// heading is a header of a request as a word of a command, or behind --header= in one: its name, what stands between,
	// and the value.
	heading = regexp.MustCompile(`^((?:--?[A-Za-z-]+=)?([A-Za-z][A-Za-z0-9_-]*):)(\s*(?i:bearer\s+|basic\s+)?)(\S.*)$`)
	headed  = regexp.MustCompile(`^(-H|--headers?)$`)
	scheme  = regexp.MustCompile(`^(?i:bearer)$`)
	bearing = regexp.MustCompile(`(?i)\bbearer\s+\S`)
)

var (
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	plain    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./:@-]{0,99}$`)
)

// IsVariable reports whether a text is written as the name of a variable of the environment is.
func IsVariable(text string) bool { return variable.MatchString(text) }

// IsName reports whether a text can be a name to look a secret up by, in the environment or a keyring, and does not
// look like the secret itself. A text that is no name must not be shown.
func IsName(text string) bool {
	if !plain.MatchString(text) || token(text) {
		return false
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("./:@", r) }) {
		digits := 0
		for _, r := range part {
			if '0' <= r && r <= '9' {
				digits++
			}
		}
		mixed := part != strings.ToLower(part) && part != strings.ToUpper(part)
		if random.MatchString(part) && digits > 0 && (mixed || !strings.ContainsAny(part, "_-") || 3*digits > len(part)) {
			return false
		}
	}
	return true
}

// NamesVariable reports whether a text can be the name of a variable that holds a secret: it is one of a variable, and
// IsName.
func NamesVariable(text string) bool { return IsVariable(text) && IsName(text) }

// NamesEntry reports whether a text can be the name of an entry in a keyring, which may have blanks: IsName else.
func NamesEntry(text string) bool { return IsName(strings.ReplaceAll(text, " ", "_")) }

// CheckVariable returns an error that does not show the text, unless it is NamesVariable.
func CheckVariable(text string) error {
	if NamesVariable(text) {
		return nil
	}
	return errors.New("the value is not shown, since it may be the token itself: want the name of a variable of the " +
		"environment")
}

// token reports whether a text is the token of a service that begins its tokens in a way of its own.
func token(text string) bool {
	return len(text) >= 16 && issued.MatchString(text) && strings.ContainsAny(text, "0123456789")
}

// Marked stands before a value in a command that is a secret, whatever its name: MODE=secret:VALUE.
const Marked = "secret:"

// Suspicious reports whether a value that is written beside its name, in a command or a file, is to be hidden: its name
// is that of a secret, it is marked as one, or it looks like one.
func Suspicious(name, value string) bool {
	return telling.MatchString(name) && !harmless.MatchString(name) ||
		strings.HasPrefix(value, Marked) || token(value) || bearing.MatchString(value) ||
		random.MatchString(value) && strings.ContainsAny(value, "0123456789") &&
			strings.Trim(value, "0123456789") != ""
}

// Command returns the words of a command line without the secrets written into it, and these for a Cutter: NAME=value
// where it is suspicious; --token=value, --token value, headers such as "Authorization: Bearer value", tokens that
// stand alone, and those of addresses. A value with a ${NAME} in it stays: it refers to one by name.
func Command(words []string) (shown, values []string) {
	next := false
	for i, word := range words {
		named := strings.Contains(word, "${")
		flag, part := flagged.FindStringSubmatch(word), assigned.FindStringSubmatch(word)
		header := heading.FindStringSubmatch(word)
		if header != nil && header[3] == "" && header[1] == header[2]+":" && (i == 0 || !headed.MatchString(words[i-1])) {
			header = nil // host:port, image:tag
		}
		switch {
		case next && !named && !strings.HasPrefix(word, "-"):
			values = append(values, word)
			word, next = Hidden, false
		case named:
			next = false
		case flag != nil && flag[3] != "":
			values = append(values, flag[3])
			word, next = flag[1]+"="+Hidden, false
		case flag != nil || scheme.MatchString(word):
			next = true
		case header != nil && Suspicious(header[2], header[4]):
			values = append(values, header[4])
			word, next = header[1]+" "+Hidden, false
		case token(word):
			values = append(values, word)
			word, next = Hidden, false
		case part != nil && Suspicious(strings.TrimSuffix(part[1], "="), part[2]):
			values = append(values, strings.TrimPrefix(part[2], Marked))
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
