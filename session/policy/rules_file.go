package policy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// This file reads rules from the tables of a TOML file:
//
//	[[policy.rule]]
//	name = "no large refunds"
//	ids = "billing.refund.*"
//	where = "amount_cents > 10000"
//	verdict = "deny"
//	reason = "refunds over 100 are made by finance"
//
//	[permissions.ann]
//	allow = ["crm.*"]
//	deny = ["billing.*"]
//
// Whatever is not understood is an error: a rule that is misspelt would leave more open than was meant.

// A RuleError is an error in the rules of a file.
type RuleError struct {
	// Line is where it is, 0 when that is not known.
	Line int
	// Key is the name of the table, and of the key in it where one is wrong: "policy.rule.verdict".
	Key, Message string
}

func (e *RuleError) Error() string {
	if e.Line == 0 {
		return e.Key + ": " + e.Message
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Key, e.Message)
}

// RuleKeys are the keys of a [[policy.rule]] table.
var RuleKeys = []string{
	"name", "ids", "operation", "risk", "mutates", "where", "actor", "tenant", "verdict", "reason",
}

var (
	actorHeader = regexp.MustCompile(`^\s*\[\s*permissions\s*\.\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*\]`)
	anyHeader   = regexp.MustCompile(`^\s*\[`)
)

// ReadRules reads the rules in the tables policy.rule and permissions of a file, which may be nil: those of the first
// table in their order, then the permissions, actors that are patterns last. text is the file's, and file what
// places in it are called by.
func ReadRules(rules, permissions any, text, file string) ([]Rule, error) {
	f := readLines(text, file)
	if err := f.takeRules("policy.rule", rules); err != nil {
		return nil, err
	}
	if err := f.takePermissions(permissions); err != nil {
		return nil, err
	}
	return f.rules, nil
}

// ReadTables reads the rules in the tables of another name, such as roles.clerk.rule.
func ReadTables(table string, rules any, text, file string) ([]Rule, error) {
	f := readLines(text, file)
	err := f.takeRules(table, rules)
	return f.rules, err
}

type rulesFile struct {
	lines []string
	name  string
	rules []Rule
}

// readLines takes the lines of a file, which may begin with a byte-order mark.
func readLines(text, file string) rulesFile {
	return rulesFile{lines: strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n"), name: file}
}

// add numbers a rule.
func (f *rulesFile) add(rule Rule, line int) {
	rule.N, rule.Place = len(f.rules)+1, fmt.Sprintf("%s:%d", f.name, line)
	f.rules = append(f.rules, rule)
}

// headers are the lines that match, from 1.
func (f *rulesFile) headers(header *regexp.Regexp) (at []int) {
	for i, line := range f.lines {
		if header.MatchString(line) {
			at = append(at, i+1)
		}
	}
	return at
}

// keyLine is the line of a key in the table whose header is at a line, or else that line.
func (f *rulesFile) keyLine(header int, key string) int {
	for i, line := range f.lines[header:] {
		name, _, isKey := strings.Cut(line, "=")
		if isKey && strings.Trim(strings.TrimSpace(name), `"'`) == key {
			return header + i + 1
		}
		if anyHeader.MatchString(line) {
			break
		}
	}
	return header
}

func (f *rulesFile) takeRules(name string, value any) error {
	if value == nil {
		return nil
	}
	names := strings.Split(name, ".")
	for i, n := range names {
		names[i] = `(?:"` + n + `"|'` + n + `'|` + n + `)`
	}
	at := f.headers(regexp.MustCompile(`^\s*\[\[\s*` + strings.Join(names, `\s*\.\s*`) + `\s*\]\]`))
	tables, ok := value.([]map[string]any)
	if !ok || len(at) != len(tables) {
		return &RuleError{Key: name,
			Message: "want each rule as a table of its own below a line [[" + name + "]]"}
	}
	for i, table := range tables {
		rule, key, err := readRule(table)
		if err != nil {
			line, of := at[i], fmt.Sprintf("%s %d", name, i+1)
			if key != "" {
				line, of = f.keyLine(line, key), of+": "+key
			}
			return &RuleError{Line: line, Key: of, Message: err.Error()}
		}
		f.add(rule, at[i])
	}
	return nil
}

// readRule reads one table. With an error, key is the one that is wrong, empty where it is none.
func readRule(table map[string]any) (rule Rule, key string, err error) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(RuleKeys, key) {
			return rule, key, fmt.Errorf("unknown key%s; want %s", didYouMean(key, RuleKeys), strings.Join(RuleKeys, ", "))
		}
	}
	for _, read := range []struct {
		key  string
		take func(value any) error
	}{
		{"verdict", func(v any) error { return oneOf(&rule.Verdict, v, Allow, AskFor, Deny) }},
		{"name", func(v any) error { return takeWords(&rule.Name, v, maxName) }},
		{"reason", func(v any) error { return takeWords(&rule.Reason, v, maxReason) }},
		{"ids", rule.takeIDs},
		{"operation", rule.takeOperations},
		{"risk", rule.takeRisks},
		{"mutates", rule.takeMutates},
		{"where", rule.takeWhere},
		{"actor", func(v any) error { return takeNames(&rule.Actors, v) }},
		{"tenant", func(v any) error { return takeNames(&rule.Tenants, v) }},
	} {
		value, there := table[read.key]
		if !there {
			continue
		}
		if err := read.take(value); err != nil {
			return rule, read.key, err
		}
	}
	switch {
	case rule.Verdict == "":
		return rule, "", fmt.Errorf("no verdict: want verdict = \"allow\", \"ask\" or \"deny\"")
	case len(rule.IDs)+len(rule.Operations)+len(rule.Risks)+len(rule.Where)+len(rule.Actors)+len(rule.Tenants) == 0 &&
		rule.Calls == "":
		return rule, "", fmt.Errorf("it does not say which calls it is for: want ids = \"*\" where it is for all")
	}
	return rule.spared(), "", nil
}

// spared is the rule without calls of high risk where it allows all that a pattern matches and does not speak of risk:
// as with grants, a pattern covers them only where it says so.
func (rule Rule) spared() Rule {
	isWide := func(p pattern.Pattern) bool { return !p.IsExact() }
	if rule.Verdict == Allow && len(rule.Risks) == 0 && (len(rule.IDs) == 0 || slices.ContainsFunc(rule.IDs, isWide)) {
		rule.Risks = []catalog.Risk{catalog.Low, catalog.Medium}
	}
	return rule
}

// The longest name and reason, in bytes.
const (
	maxName   = 100
	maxReason = 300
)

// list is a text or a list of texts that is not empty.
func list(value any) ([]string, error) {
	if text, isText := value.(string); isText {
		value = []any{text}
	}
	items, _ := value.([]any)
	var all []string
	for _, item := range items {
		text, isText := item.(string)
		if !isText || strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("want a text, or a list of texts")
		}
		all = append(all, strings.TrimSpace(text))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("want a text, or a list of at least one; omit the key where it does not matter")
	}
	return all, nil
}

// oneOf reads one of the words.
func oneOf[T ~string](to *T, value any, words ...T) error {
	text, _ := value.(string)
	*to = T(strings.ToLower(strings.TrimSpace(text)))
	if !slices.Contains(words, *to) {
		all := texts(words)
		return fmt.Errorf("%q: want %s%s", fmt.Sprint(value), strings.Join(all, ", "), didYouMean(text, all))
	}
	return nil
}

func didYouMean(word string, words []string) string {
	if near := spelling.Nearest(word, words); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}

// isLine tells whether a text is one line that is shown as it is.
func isLine(s string) bool { return s == text.SanitizeLine(s) }

// takeWords reads a line of text for messages.
func takeWords(to *string, value any, most int) error {
	text, isText := value.(string)
	*to = strings.TrimSpace(text)
	if !isText || *to == "" || len(*to) > most || !isLine(*to) {
		return fmt.Errorf("want one line of text, of at most %d bytes", most)
	}
	return nil
}

func (rule *Rule) takeIDs(value any) error {
	ids, err := list(value)
	if err == nil {
		rule.IDs, err = pattern.ParseAll(ids)
	}
	return err
}

func (rule *Rule) takeOperations(value any) error {
	names, err := list(value)
	for _, name := range names {
		rule.Operations = append(rule.Operations, catalog.Operation(strings.ToLower(name)))
	}
	return err
}

func (rule *Rule) takeRisks(value any) error {
	names, err := list(value)
	for _, name := range names {
		var risk catalog.Risk
		if err := oneOf(&risk, name, catalog.Low, catalog.Medium, catalog.High); err != nil {
			return err
		}
		rule.Risks = append(rule.Risks, risk)
	}
	return err
}

func (rule *Rule) takeMutates(value any) error {
	mutates, isBool := value.(bool)
	if !isBool {
		return fmt.Errorf("want true for writes or false for reads")
	}
	rule.Calls = Reads
	if mutates {
		rule.Calls = Writes
	}
	return nil
}

// takeWhere reads conditions. The verdict has been read: one that allows numbers up to a limit means from zero on, as
// in a grant.
func (rule *Rule) takeWhere(value any) error {
	conditions, err := list(value)
	if err != nil {
		return err
	}
	for _, text := range conditions {
		bounds, err := parseAllBounds(text)
		if err != nil {
			return err
		}
		rule.Where = append(rule.Where, bounds...)
	}
	if rule.Verdict == Allow {
		rule.Where, err = CloseBounds(rule.Where)
	} else if i := slices.IndexFunc(rule.Where, func(b Bound) bool { return !possible(of(rule.Where, b.Arg)) }); i >= 0 {
		err = fmt.Errorf("%s: no value meets all its conditions", rule.Where[i].Arg)
	}
	return err
}

// of are the bounds of an argument.
func of(bounds []Bound, arg string) []Bound {
	return slices.DeleteFunc(slices.Clone(bounds), func(b Bound) bool { return b.Arg != arg })
}

// parseAllBounds reads bounds with blanks or commas between them.
func parseAllBounds(text string) (all []Bound, err error) {
	for rest := text; ; {
		if rest = strings.TrimLeft(rest, " \t,"); rest == "" {
			return all, nil
		}
		var bounds []Bound
		if bounds, rest, err = parseBounds(rest); err != nil {
			return nil, err
		}
		all = append(all, bounds...)
	}
}

func takeNames(to *[]string, value any) (err error) {
	if *to, err = list(value); err == nil &&
		slices.ContainsFunc(*to, func(name string) bool { return !isLine(name) }) {
		err = fmt.Errorf("want printable characters")
	}
	return err
}

// takePermissions reads the permissions of actors: what each may do, be asked about and not do. What is denied goes
// before what asks, and that before what is allowed.
func (f *rulesFile) takePermissions(value any) error {
	if value == nil {
		return nil
	}
	actors, ok := value.(map[string]any)
	lines := map[string]int{}
	for _, at := range f.headers(actorHeader) {
		lines[strings.Trim(actorHeader.FindStringSubmatch(f.lines[at-1])[1], `"'`)] = at
	}
	isPattern := func(name string) int { return strings.Count(name, "*") + strings.Count(name, "?") }
	names := slices.SortedFunc(maps.Keys(actors), func(a, b string) int {
		if one, other := min(isPattern(a), 1), min(isPattern(b), 1); one != other {
			return one - other
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		table, isTable := actors[name].(map[string]any)
		if ok = isTable && lines[name] > 0 && len(table) > 0 && isLine(name); !ok {
			break
		}
		if err := f.takeActor(name, table, lines[name]); err != nil {
			return err
		}
	}
	if !ok {
		return &RuleError{Key: "permissions", Message: "want a table of its own for each actor, as in [permissions.ann], " +
			"with allow, ask or deny"}
	}
	return nil
}

func (f *rulesFile) takeActor(name string, table map[string]any, line int) error {
	keys := []Verdict{Deny, AskFor, Allow}
	of := "permissions." + name
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(keys, Verdict(key)) {
			return &RuleError{f.keyLine(line, key), of + "." + key,
				fmt.Sprintf("unknown key%s; want allow, ask, deny", didYouMean(key, texts(keys)))}
		}
	}
	for _, verdict := range keys {
		value, there := table[string(verdict)]
		if !there {
			continue
		}
		at := f.keyLine(line, string(verdict))
		items, err := list(value)
		for _, item := range items {
			var rule Rule
			if rule, err = readPermission(item, verdict); err != nil {
				break
			}
			rule.Actors, rule.Name = []string{name}, name+": "+string(verdict)+" "+item
			f.add(rule, at)
		}
		if err != nil {
			return &RuleError{at, of + "." + string(verdict), err.Error()}
		}
	}
	return nil
}

// readPermission reads ID|PATTERN [BOUNDS]; what is allowed is written as a grant is.
func readPermission(text string, verdict Verdict) (rule Rule, err error) {
	rule.Verdict = verdict
	if verdict == Allow {
		g, err := ParseGrant(text)
		if err == nil && g.Only {
			err = fmt.Errorf("grant of %s: only has no meaning in a rule", g.Pattern)
		}
		rule.IDs, rule.Where = []pattern.Pattern{g.Pattern}, g.Bounds
		if g.High {
			return rule, err
		}
		return rule.spared(), err
	}
	ids, rest, _ := strings.Cut(text, " ")
	p, err := pattern.Parse(ids)
	if err != nil {
		return rule, err
	}
	rule.IDs = []pattern.Pattern{p}
	rule.Where, err = parseAllBounds(rest)
	return rule, err
}
