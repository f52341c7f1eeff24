package database

// This file scans SQL for what must be known before a server sees it: whether it is a single statement, what it begins
// with, its parameters, and which functions it calls by name. The server has the last word on everything.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// A Statement is one scanned SQL statement.
type Statement struct {
	text   string
	words  []string // outside of strings, comments and quotes; lower case
	called []string // names before an opening parenthesis, quoted ones too; lower case
	places []place  // of :name, in order
	own    byte     // the first character of a parameter of the server's own, ? or $1; 0 without any
	dialect
}

// A place is where a :name stands.
type place struct {
	from, to int
	name     string
}

// A dialect is what differs between the three kinds of databases in SQL.
type dialect struct {
	title string // "PostgreSQL"
	quote string // around names
	// numbered parameters are $1; others are ?.
	numbered bool
	// dollars begin quoted texts ($tag$), and comments nest.
	dollars bool
	// escapes with a backslash are in every text, and # begins a comment.
	escapes bool
	// returning tells that a statement which changes rows can return them.
	returning bool
	// schemas tells that a table has one in front.
	schemas bool
	// plain is the type that makes a text of JSON; empty where that is one already.
	plain string
	// locks ends a SELECT whose row nobody else is to change until the transaction ends.
	locks string
	// reads and writes are the words that statements may begin with.
	reads, writes []string
	// kept are names of functions, or with a * their beginnings, that change something which no read-only transaction
	// keeps them from.
	kept []string
}

func postgresDialect() dialect {
	return dialect{title: "PostgreSQL", quote: `"`, numbered: true, dollars: true, returning: true, schemas: true,
		plain: "text", locks: " FOR UPDATE",
		reads: []string{"select", "values", "with", "table", "show", "explain"},
		writes: []string{"insert", "update", "delete", "merge", "create", "drop", "alter", "truncate", "comment", "grant",
			"revoke", "analyze", "refresh", "reindex", "call", "do"},
		kept: []string{"pg_terminate_backend", "pg_cancel_backend", "pg_reload_conf", "pg_rotate_logfile*", "pg_promote",
			"pg_switch_wal", "pg_create_*", "pg_drop_*", "pg_copy_*", "pg_backup_*", "pg_start_backup", "pg_stop_backup",
			"pg_replication_*", "pg_logical_*", "pg_wal_replay_*", "pg_advisory_*", "pg_try_advisory_*", "pg_stat_reset*",
			"pg_file_*", "pg_read_*", "pg_ls_*", "pg_stat_file", "pg_hba_file_rules", "pg_ident_file_mappings",
			"pg_show_all_file_settings", "pg_notify", "pg_export_snapshot", "pg_log_*", "set_config", "dblink*", "lo_import",
			"lo_export", "lo_unlink", "lo_creat*", "lo_put", "lo_from_bytea", "lo_truncate*", "lowrite"}}
}

func mysqlDialect() dialect {
	return dialect{title: "MySQL", quote: "`", escapes: true, plain: "char", locks: " FOR UPDATE",
		reads: []string{"select", "values", "with", "table", "show", "explain", "describe", "desc"},
		writes: []string{"insert", "replace", "update", "delete", "create", "drop", "alter", "truncate", "rename", "grant",
			"revoke", "analyze", "call"},
		kept: []string{"get_lock", "release_lock", "release_all_locks", "load_file", "sys_exec", "sys_eval", "sys_set",
			"setval", "nextval"}}
}

func sqliteDialect() dialect {
	// ATTACH, VACUUM and PRAGMA can reach files other than the one that is named, even over a read-only connection.
	return dialect{title: "SQLite", quote: `"`, returning: true,
		reads:  []string{"select", "values", "with", "explain"},
		writes: []string{"insert", "replace", "update", "delete", "create", "drop", "alter", "reindex", "analyze"},
		kept:   []string{"load_extension"}}
}

// Parse scans one statement.
func (d dialect) Parse(sql string) (Statement, error) {
	s := Statement{text: sql, dialect: d}
	last := "" // the name that came last, while nothing but space and comments follows it
	for i := 0; i < len(sql); {
		n, name, err := s.token(i)
		switch {
		case err != nil:
			return Statement{}, err
		case sql[i] == ';' && !s.blank(i+1):
			return Statement{}, errors.New("want one statement, got several")
		case sql[i] == '(' && last != "":
			s.called = append(s.called, last)
			last = ""
		case name != "":
			last = name
		case !s.space(i):
			last = ""
		}
		i += n
	}
	if len(s.words) == 0 {
		return Statement{}, errors.New("the statement is empty")
	}
	if first := s.words[0]; !slices.Contains(s.reads, first) && !slices.Contains(s.writes, first) {
		return Statement{}, fmt.Errorf("%s is not allowed: a statement begins with %s or %s",
			text.LineBytes(first, 40), strings.Join(s.reads, ", "), strings.Join(s.writes, ", "))
	}
	return s, nil
}

// space reports whether white space or a comment begins at i.
func (s *Statement) space(i int) bool {
	return strings.IndexByte(" \t\r\n\f\v", s.text[i]) >= 0 || s.comment(s.text[i:]) > 0
}

// comment is the length of the comment that rest begins with, 0 where it begins with none.
func (d *dialect) comment(rest string) int {
	line := strings.HasPrefix(rest, "--")
	if d.escapes { // MySQL wants a blank behind the dashes, and has another form
		line = line && (len(rest) == 2 || rest[2] <= ' ') || rest[0] == '#'
	}
	switch {
	case line:
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return end + 1
		}
		return len(rest)
	case !strings.HasPrefix(rest, "/*"):
		return 0
	}
	depth := 1
	for i := 2; i < len(rest); i++ {
		switch {
		case strings.HasPrefix(rest[i:], "*/"):
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		case d.dollars && strings.HasPrefix(rest[i:], "/*"):
			depth++
			i++
		}
	}
	return len(rest)
}

// token reads one token at i and returns its length, and the name if it is one.
func (s *Statement) token(i int) (n int, name string, err error) {
	rest := s.text[i:]
	switch c := rest[0]; {
	case s.escapes && (strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!")):
		return 0, "", errors.New("a comment that is executed is not allowed: write what is in it")
	case s.comment(rest) > 0:
		return s.comment(rest), "", nil
	case c == '\'', c == '"' && s.escapes:
		n, err = quotedLength(rest, c, s.escapes)
		return n, "", err
	case c == '"', c == '`' && !s.dollars, c == '[' && !s.dollars && !s.escapes:
		end := c
		if c == '[' {
			end = ']'
		}
		if n, err = quotedLength(rest, end, false); err != nil {
			return 0, "", err
		}
		return n, strings.ToLower(strings.ReplaceAll(rest[1:n-1], string(end)+string(end), string(end))), nil
	case c == ':' && strings.HasPrefix(rest, "::"):
		return 2, "", nil
	case c == ':':
		n = nameLength(rest[1:])
		switch {
		case n > 0 && (rest[1] < '0' || rest[1] > '9'):
			s.places = append(s.places, place{i, i + 1 + n, rest[1 : 1+n]})
		case !s.dollars && !s.escapes: // in the others, it has other uses
			return 0, "", errors.New("a : must be followed by the name of an argument")
		}
		return 1 + n, "", nil
	case c == '$' && s.dollars:
		if tag := dollarTag(rest); tag != "" {
			end := strings.Index(rest[len(tag):], tag)
			if end < 0 {
				return 0, "", unended(rest)
			}
			return end + 2*len(tag), "", nil
		}
		s.own = c
		return 1, "", nil
	case c == '?' && !s.dollars, (c == '$' || c == '@') && !s.dollars && !s.escapes:
		s.own = c
		return 1, "", nil
	case c == 0:
		return 0, "", errors.New("zero byte")
	}
	n = nameLength(rest)
	if n == 0 {
		return 1, "", nil
	}
	word, after := strings.ToLower(rest[:n]), rest[n:]
	switch {
	case s.dollars && word == "e" && strings.HasPrefix(after, "'"):
		size, err := quotedLength(after, '\'', true)
		return n + size, "", err
	case s.dollars && word == "u" && (strings.HasPrefix(after, `&"`) || strings.HasPrefix(after, "&'")):
		return 0, "", errors.New("text with U& is not allowed: write the letters as they are")
	}
	s.words = append(s.words, word)
	return n, word, nil
}

// dollarTag is the beginning of a text in dollars, "$$" or "$tag$"; empty where it is none.
func dollarTag(rest string) string {
	end := strings.IndexByte(rest[1:], '$') + 1
	if end == 0 || nameLength(rest[1:end]) != end-1 || end > 1 && rest[1] >= '0' && rest[1] <= '9' {
		return ""
	}
	return rest[:end+1]
}

// quotedLength is the length of a quoted text, in which a doubled quote is a literal one.
func quotedLength(rest string, quote byte, escapes bool) (int, error) {
	for i := 1; i < len(rest); i++ {
		switch {
		case escapes && rest[i] == '\\':
			i++
		case rest[i] != quote:
		case quote != ']' && i+1 < len(rest) && rest[i+1] == quote:
			i++
		default:
			return i + 1, nil
		}
	}
	return 0, unended(rest)
}

func unended(rest string) error {
	return fmt.Errorf("the text that begins with %s does not end", text.LineBytes(text.HeadBytes(rest, 20), 40))
}

func nameLength(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0x80
	}))
}

// blank reports whether the rest from i is only space, comments and semicolons.
func (s *Statement) blank(i int) bool {
	for i < len(s.text) {
		n := s.comment(s.text[i:])
		if n == 0 && s.text[i] != ';' && !s.space(i) {
			return false
		}
		i += max(n, 1)
	}
	return true
}

// Params are the names of the :name parameters, in the order of their first use.
func (s Statement) Params() (names []string) {
	for _, p := range s.places {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// Named fails for parameters other than :name.
func (s Statement) Named() error {
	if s.own != 0 {
		return fmt.Errorf("%c is not a parameter: write :name", s.own)
	}
	return nil
}

// Reads says why the statement is not one that only reads; nil where a read-only transaction can run it.
func (s Statement) Reads() error {
	if !slices.Contains(s.reads, s.words[0]) {
		return fmt.Errorf("%s changes data or its definition", s.words[0])
	}
	for _, name := range s.called {
		if slices.ContainsFunc(s.kept, func(kept string) bool {
			head, open := strings.CutSuffix(kept, "*")
			return name == kept || open && strings.HasPrefix(name, head)
		}) {
			return fmt.Errorf("%s does more than read", text.LineBytes(name, 60))
		}
	}
	if s.escapes && (slices.Contains(s.words, "outfile") || slices.Contains(s.words, "dumpfile")) {
		return errors.New("it writes a file on the server")
	}
	return nil
}

// Effect is the operation and risk of a statement that changes something.
func (s Statement) Effect() (catalog.Operation, catalog.Risk) {
	verb := s.words[0]
	if verb == "with" {
		// The statement itself comes after a WITH; a word that is also a name counts as the riskier one.
		for _, other := range []string{"delete", "update", "replace", "insert"} {
			if slices.Contains(s.words, other) {
				verb = other
				break
			}
		}
	}
	switch verb {
	case "delete", "drop", "truncate":
		return catalog.Delete, catalog.High
	case "grant", "revoke":
		return catalog.Admin, catalog.High
	case "insert", "create":
		return catalog.Create, catalog.Medium
	case "alter":
		if slices.Contains(s.words, "drop") {
			return catalog.Update, catalog.High
		}
	}
	return catalog.Update, catalog.Medium
}

// CanTry reports whether the statement can be tried in a transaction and taken back.
func (s Statement) CanTry() bool {
	plain := []string{"insert", "update", "delete", "merge", "replace", "with", "select", "values"}
	return slices.Contains(plain, s.words[0]) ||
		!s.escapes && s.words[0] != "call" && s.words[0] != "do" // MySQL commits before it changes a definition
}

// rows reports whether the statement returns rows.
func (s Statement) rows() bool {
	if s.words[0] == "with" {
		return slices.Contains(s.words, "returning") || !slices.ContainsFunc(s.words, func(w string) bool {
			return w == "insert" || w == "update" || w == "delete" || w == "replace"
		})
	}
	return slices.Contains(s.reads, s.words[0]) || slices.Contains(s.words, "returning") || s.words[0] == "call"
}

// bind replaces each :name by the server's own parameter, and lists the values for these.
func (s Statement) bind(args map[string]any) (sql string, values []any) {
	var b strings.Builder
	at := 0
	numbers := map[string]int{}
	for _, p := range s.places {
		b.WriteString(s.text[at:p.from])
		at = p.to
		if n := numbers[p.name]; n > 0 && s.numbered {
			b.WriteString(s.parameter(n))
			continue
		}
		values = append(values, args[p.name])
		numbers[p.name] = len(values)
		b.WriteString(s.parameter(len(values)))
	}
	return b.String() + s.text[at:], values
}

// parameter is how the n-th parameter is written.
func (d *dialect) parameter(n int) string {
	if d.numbered {
		return fmt.Sprintf("$%d", n)
	}
	return "?"
}

// asText is JSON as a text, in SQL.
func (d *dialect) asText(name string) string {
	if d.plain == "" {
		return name
	}
	return "CAST(" + name + " AS " + d.plain + ")"
}

// quoted writes names as one: "public"."orders".
func (d *dialect) quoted(names ...string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = d.quote + strings.ReplaceAll(name, d.quote, d.quote+d.quote) + d.quote
	}
	return strings.Join(parts, ".")
}
