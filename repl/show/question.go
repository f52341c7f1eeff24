package show

// This file says what a person is asked before a call: one Question for the screen, the line mode and the clients of
// the gateway, which only draw it.

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/text"
	"almanac/session"
)

// A Question is what a person has to know to allow a call, or a run to go on, clean and in the order in which it is
// shown. Nothing in it is cut: what is approved is what was shown.
type Question struct {
	// Over is set where a run asks to go on that has used its budget; ID is then the run's.
	Over *session.Overrun
	// Inquiry is set where the server of an action asks; ID is then the server's name.
	Inquiry *catalog.Inquiry
	// Batch is set where the question is about a whole run; ID then says how much it does, and Warnings are in the list.
	Batch *Batch
	// ID is the action's; "?" for none.
	ID string
	// Mutates and Risk are never better than what is known: a call of nothing changes data at high risk.
	Mutates bool
	Risk    catalog.Risk
	// Warnings are what the description says about damage: "Cannot be undone." They stand in front.
	Warnings []string
	// About is what the action does, in a sentence.
	About string
	// Host is the one that the call goes to; empty where it is not known.
	Host string
	// Filled are the arguments that the host fills in, Preview what the call would change; empty where there are none.
	Filled, Preview string
	// Asked tells who asks, and why: "asked by the model in [9], call 2, line 3 · mutations need approval".
	Asked string
	// Source is the script that asks, Line the one of its lines that does; zero where it is not known.
	Source string
	Line   int

	request session.Request
	marks   Marks
}

// QuestionOf is the question about a call.
func QuestionOf(r session.Request, m Marks) Question {
	q := Question{ID: "?", Mutates: true, Risk: catalog.High, request: r, marks: m, Source: text.Sanitize(r.Source),
		Line: r.Line, Preview: strings.TrimRight(text.Sanitize(r.Preview), "\n"), Asked: askedBy(r, m)}
	q.Warnings = warningsOf(r.Entry, r.Credentials)
	if e := r.Entry; e != nil {
		q.ID, q.Mutates, q.Risk, q.About = text.SanitizeLine(e.ID), e.Mutates, catalog.RiskOf(e),
			text.FirstSentence(e.Description)
		q.Host = hostOf(e)
	}
	q.Over, q.Inquiry = r.Over, r.Inquiry
	switch {
	case q.Over != nil:
		return q.ofRun(r)
	case q.Inquiry != nil:
		q.Mutates, q.Warnings, q.About = false, nil, ""
		return q
	case len(r.Batch) > 0:
		return q.ofBatch(r)
	}
	if slices.Contains(q.Warnings, q.About) {
		q.About = ""
	}
	q.Filled = filledText(r.Entry, r.Injected)
	return q
}

// warningsOf are what a person has to be warned of before a call: a credential that is sent, and what the description
// says about damage.
func warningsOf(e *catalog.Entry, credentials []string) (all []string) {
	for _, name := range credentials {
		all = append(all, fmt.Sprintf("The argument %s holds a credential, shown as %s: it will be sent to %s.",
			text.SanitizeLine(name), secret.Mark, receiver(e)))
	}
	for _, w := range catalog.Warnings(e) {
		all = append(all, text.SanitizeLine(w))
	}
	return all
}

// filledText says what the host fills in, of a conversation how long it is; empty where it is nothing.
func filledText(e *catalog.Entry, injected map[string]any) string {
	if len(injected) == 0 {
		return ""
	}
	injected = maps.Clone(injected)
	var filled []string
	if e != nil {
		for _, in := range e.Inject {
			all, ok := injected[in.Field].([]any)
			if ok && (in.From == "messages" || in.From == "transcript") {
				delete(injected, in.Field)
				filled = append(filled, fmt.Sprintf("%s: the conversation, %s", in.Field, text.Count(len(all), "message")))
			}
		}
	}
	if len(injected) > 0 {
		filled = append([]string{ArgsText(e, injected, 0)}, filled...)
	}
	return "filled in by the host: " + strings.Join(filled, "; ")
}

// receiver is who gets the arguments of a call: the host that its action reaches, or else its source.
func receiver(e *catalog.Entry) string {
	if e == nil {
		return "the action"
	}
	return cmp.Or(hostOf(e), text.SanitizeLine(cmp.Or(e.Source, e.ID)))
}

// hostOf is the host that a call reaches, as its target names it; empty where that names none.
func hostOf(e *catalog.Entry) string {
	if e == nil {
		return ""
	}
	words := strings.Fields(e.Target)
	if len(words) > 1 && words[0] == "gRPC" && strings.Contains(words[1], "/") {
		words[1] = "grpc://" + words[1]
	}
	for _, word := range words {
		if u, err := url.Parse(word); err == nil && u.Host != "" {
			return text.SanitizeLine(u.Host)
		}
	}
	return ""
}

// ofRun is the question whether the run goes on; what the next call does is asked when it comes to that.
func (q Question) ofRun(r session.Request) Question {
	next := q.ID
	q.ID, q.Warnings = "this run", nil
	if r.Cell > 0 {
		q.ID = fmt.Sprintf("[%d]", r.Cell)
	}
	q.About = fmt.Sprintf("Next is %s. y goes on with %d more.", next, q.Over.More)
	q.Filled = fmt.Sprintf("/limits %s N sets how many a run of yours may make", q.Over.Name)
	return q
}

// ofBatch is the question about all mutations of a run at once. Its risk is the highest of them.
func (q Question) ofBatch(r session.Request) Question {
	q.Batch, q.Warnings, q.About, q.Preview, q.Line, q.Risk = NewBatch(r.Batch, r.Chosen), nil, "", "", 0, catalog.Low
	q.ID = q.Batch.Total()
	for _, p := range r.Batch {
		q.Mutates = q.Mutates || p.Entry.Mutates
		if risk := catalog.RiskOf(p.Entry); risk == catalog.High || q.Risk != catalog.High && risk != catalog.Low {
			q.Risk = risk
		}
	}
	if r.Partial != "" {
		q.Warnings = []string{sentence(text.SanitizeLine(r.Partial)) +
			" Calls beyond this list are asked about when they come."}
	}
	return q
}

// sentence is a clause with a capital letter and a full stop.
func sentence(clause string) string {
	return text.Capital(strings.TrimRight(clause, ".")) + "."
}

// Unready says what is missing for a yes; nil where nothing is.
func (q Question) Unready() error {
	if q.Inquiry == nil || q.Inquiry.Form == nil {
		return nil
	}
	_, err := q.Inquiry.Form.Check(q.request.Args)
	return err
}

// InquiryYes is what a yes to a server does.
func (q Question) InquiryYes() string {
	switch {
	case q.Inquiry.Sample != nil:
		return "let your model answer"
	case q.Inquiry.Again:
		return "call again, once you are done there"
	case q.Inquiry.URL != "":
		return "tell it that you open this"
	}
	return "send this"
}

// With is the question with other arguments.
func (q Question) With(args map[string]any) Question {
	q.request.Args = args
	return q
}

// ArgLines are the arguments as Lua.
func (q Question) ArgLines(width int) []Line {
	return Lines(Code, "", ArgsText(q.request.Entry, q.request.Args, width))
}

// InquiryWords are what a server asks, in its words, and the address that it wants to be opened.
func (q Question) InquiryWords() []Line {
	var lines []Line
	for line := range strings.Lines(strings.TrimSpace(text.Sanitize(q.Inquiry.Text))) {
		lines = append(lines, Line{Dim.Span("| "), Text.Span(strings.TrimRight(line, "\n"))})
	}
	if u, err := url.Parse(q.Inquiry.URL); q.Inquiry.URL != "" && err == nil {
		lines = append(lines, Text.Line("for your browser, at "+text.SanitizeLine(u.Host)+"; almanac does not open it:"),
			Code.Line("  "+text.SanitizeLine(q.Inquiry.URL)))
		if strings.Contains(strings.ToLower(u.Host), "xn--") {
			lines = append(lines, Warning.Line("the host stands for letters of other scripts, which may look like another"))
		}
		if u.Scheme != "https" {
			lines = append(lines, Warning.Line("what you send there can be read on the way: it is not https"))
		}
	}
	return lines
}

// inquiryLines are what a server asks, and the fields of its form.
func (q Question) inquiryLines() []Line {
	lines := q.InquiryWords()
	var rows [][]string
	for _, f := range q.Inquiry.Form.Fields() {
		need := ""
		if f.Required {
			need = "required"
		}
		about := f.Description
		if f.Enum != nil {
			about = strings.TrimSpace(about + " one of " + ArgsInOrder(f.Enum, 0, nil))
		}
		rows = append(rows, []string{text.SanitizeLine(f.Name), text.SanitizeLine(f.Type), need, text.SanitizeLine(about)})
	}
	if len(rows) > 0 {
		lines = append(lines, Lines(Text, "  ", Columns(rows))...)
	}
	return lines
}

// ReadArgs reads other arguments of the call, and checks them.
func (q Question) ReadArgs(typed string) (map[string]any, error) {
	return ReadArgs(q.request.Entry, typed)
}

// Verb is the word that asks.
func (q Question) Verb() string {
	switch {
	case q.Over != nil:
		return "go on?"
	case q.Inquiry != nil:
		return "answer?"
	}
	return "approve?"
}

// Entries are the actions that the question is about, each once; none where it is not known.
func (q Question) Entries() (all []*catalog.Entry) {
	if q.Batch == nil && q.request.Entry != nil {
		return []*catalog.Entry{q.request.Entry}
	}
	for _, p := range q.request.Batch {
		if !slices.ContainsFunc(all, func(e *catalog.Entry) bool { return e.ID == p.Entry.ID }) {
			all = append(all, p.Entry)
		}
	}
	return all
}

// High tells that the call may do great damage.
func (q Question) High() bool { return q.Over == nil && q.Risk == catalog.High }

// RiskText says what the call does and how bad a wrong one is: "!! MUTATES · HIGH RISK", "mutates · low risk". What is
// high differs in its words.
func (q Question) RiskText(m Marks) string {
	if q.Over != nil {
		return q.Over.String() + " used"
	}
	if q.Inquiry != nil {
		if q.Inquiry.Sample != nil {
			return "a server asks your model"
		}
		return "a server asks"
	}
	return riskText(q.Mutates, q.Risk, m)
}

func riskText(mutates bool, risk catalog.Risk, m Marks) string {
	effect := "reads"
	if mutates {
		effect = "mutates"
	}
	words := fmt.Sprintf("%s %s %s risk", effect, m.Dot, text.SanitizeLine(string(risk)))
	if risk == catalog.High {
		return "!! " + strings.ToUpper(words)
	}
	return words
}

// Title is the first line: `approve? billing.refund.issue   !! MUTATES · HIGH RISK`.
func (q Question) Title(m Marks) Line {
	return Line{Text.Span(q.Verb() + " "), ID.Span(q.ID), Mutates.Span("   " + q.RiskText(m))}
}

// WarningLines are the warnings, each behind a mark.
func (q Question) WarningLines() []Line {
	var lines []Line
	for _, w := range q.Warnings {
		lines = append(lines, Warning.Line("! "+w))
	}
	return lines
}

// Body is what stands below the title and the warnings, not broken; arguments are laid out for width columns, and left
// out where they are being edited.
func (q Question) Body(width int, editing bool) []Line {
	var lines []Line
	add := func(role Role, s string) {
		if s != "" {
			lines = append(lines, Lines(role, "", s)...)
		}
	}
	add(Text, q.About)
	switch {
	case q.Inquiry != nil:
		lines = q.inquiryLines()
		if !editing && q.Inquiry.Form != nil {
			add(Code, ArgsText(q.request.Entry, q.request.Args, width))
		}
	case q.Batch != nil:
		lines, _ = q.Batch.Lines(width, q.marks, false, false)
	case !editing && q.Over == nil:
		add(Code, ArgsText(q.request.Entry, q.request.Args, width))
	}
	if q.Host != "" && q.Over == nil && q.Batch == nil {
		add(Dim, "goes to "+q.Host)
	}
	add(Dim, q.Filled)
	lines = append(lines, ForeseenLines(q.Preview)...)
	add(Dim, q.Asked)
	return lines
}

// ScriptLines is the whole script that asks, with the line marked that does.
func (q Question) ScriptLines(m Marks) []Line {
	if strings.TrimSpace(q.Source) == "" {
		return []Line{Dim.Line("script not available")}
	}
	source := strings.Split(strings.TrimRight(q.Source, "\n"), "\n")
	digits := len(fmt.Sprint(len(source)))
	var lines []Line
	for i, code := range source {
		mark := " "
		if i+1 == q.Line || slices.ContainsFunc(q.request.Batch, func(p session.Planned) bool { return p.Line == i+1 }) {
			mark = ">"
		}
		lines = append(lines,
			Line{Dim.Span(fmt.Sprintf("%s %*d %s ", mark, digits, i+1, m.Quote)), Code.Span(ExpandTabs(code))})
	}
	return lines
}

func askedBy(r session.Request, m Marks) string {
	asked := "asked by the model"
	if r.Inquiry != nil {
		asked = "called by the model"
	}
	if r.Inquiry != nil && r.Author == session.User {
		asked = "called by your script"
	} else if r.Author == session.User {
		asked = "asked by your script"
	}
	if r.Cell > 0 {
		asked += fmt.Sprintf(" in [%d]", r.Cell)
	}
	if r.N > 0 && len(r.Batch) == 0 {
		asked += fmt.Sprintf(", call %d", r.N)
	}
	if r.Line > 0 && len(r.Batch) == 0 {
		asked += fmt.Sprintf(", line %d", r.Line)
	}
	if r.Reason != "" {
		asked += " " + m.Dot + " " + text.SanitizeLine(r.Reason)
	}
	return asked
}

// ForeseenLines shows what a call would change, as its action foresees it; none when there is nothing to show. The
// lines of a diff have the roles of what is added and removed.
func ForeseenLines(preview string) []Line {
	preview = strings.TrimRight(preview, "\n")
	if preview == "" {
		return nil
	}
	lines := Lines(Dim, "", preview)
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l[0].Text, "+"):
			l[0].Role = OK
		case strings.HasPrefix(l[0].Text, "-"):
			l[0].Role = Mutates
		}
	}
	return lines
}
