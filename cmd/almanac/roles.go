// This file narrows the program to roles of the configuration, and lists them: almanac roles.

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
)

const (
	// noRole is what --role says that wants none, whatever the configuration says.
	noRole = "none"
	// teamSource names the source whose actions all roles see, unless they deny them by name.
	teamSource = "team"
)

// roles are those that the session begins with.
func (cli *commandLine) roles() (all []role, err error) {
	names := []string{cli.Role}
	if cli.spawned != nil {
		names = append(slices.Clip(cli.spawned.Roles), names...)
	}
	for _, name := range names {
		if name == "" || name == noRole {
			continue
		}
		r, err := cli.config.role(name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// roleViews are the rules by which the roles narrow the view.
func (cli *commandLine) roleViews() (rules []catalog.Rules, err error) {
	all, err := cli.roles()
	for _, r := range all {
		views, failed := r.views()
		if rules = append(rules, views...); failed != nil {
			return nil, failed
		}
	}
	if cli.spawned != nil {
		rules = append(rules, cli.spawned.rules())
	}
	return rules, err
}

// rolePolicies bound the policy.
func (cli *commandLine) rolePolicies(view *catalog.View, growing bool) (bounds []policy.Role, err error) {
	all, err := cli.roles()
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		policies, err := r.policies()
		if err != nil {
			return nil, err
		}
		for _, p := range policies {
			if _, err := policy.Idle(p.Rules, view); err != nil && !growing {
				return nil, fmt.Errorf("role %s: %w", r.name, err)
			}
		}
		bounds = append(bounds, policies...)
	}
	return bounds, nil
}

// taken is the role as a session takes it whose view and policy have it already.
func (r role) taken() session.Role {
	l := r.limits()
	return session.Role{
		Name: r.name, Prompt: r.prompt(), Time: l.modelTime,
		Budget:     session.Budget{Calls: l.calls, Mutations: l.mutations, Wait: l.wait},
		UserBudget: session.Budget{Calls: l.yourCalls, Mutations: l.yourMutations, Wait: l.wait},
	}
}

// whole is the role with its view and its policy.
func (r role) whole() (session.Role, error) {
	taken := r.taken()
	var err error
	if taken.View, err = r.views(); err != nil {
		return taken, err
	}
	taken.Policy, err = r.policies()
	return taken, err
}

// words say in short what the role bounds: "readonly, 1 grant, 20 calls, model fast".
func (r role) words() string {
	var said []string
	grants := len(r.own())
	for _, t := range r.parts {
		if t.mode != "" {
			said = append(said, "policy "+string(t.mode))
		}
		if t.policyFile != "" {
			said = append(said, "rules of "+t.policyFile)
		}
		if n := len(t.policies); n > 0 {
			said = append(said, text.Count(n, "rule"))
		}
		grants += len(t.allow)
	}
	if grants > 0 {
		said = append(said, text.Count(grants, "grant"))
	}
	l := r.limits()
	for _, count := range []struct {
		n         int
		what, who string
	}{
		{l.calls, "call", ""}, {l.mutations, "write", ""}, {l.yourCalls, "call", " of yours"},
		{l.yourMutations, "write", " of yours"}, {l.tokens, "token", ""},
	} {
		if count.n > 0 {
			said = append(said, text.Count(count.n, count.what)+count.who)
		}
	}
	for _, span := range []struct {
		d    time.Duration
		what string
	}{{l.wait, " a call"}, {l.modelTime, " of Lua"}, {l.time, " in all"}} {
		if span.d > 0 {
			said = append(said, text.Took(span.d)+span.what)
		}
	}
	if l.cost > 0 {
		said = append(said, fmt.Sprintf("cost %g", l.cost))
	}
	if r.model() != "" {
		said = append(said, "model "+r.model())
	}
	if r.prompt() != "" {
		said = append(said, "prompt")
	}
	if r.answers() {
		said = append(said, "agents answer alone")
	}
	if r.tasks() {
		said = append(said, "agents work on tasks")
	}
	return strings.Join(said, ", ")
}

// seen is what the role leaves of a view.
func (r role) seen(view *catalog.View) (*catalog.View, error) {
	rules, err := r.views()
	if err != nil {
		return nil, err
	}
	for _, one := range rules {
		one.Growing = view.Loading() != ""
		if view, err = view.Narrow(one); err != nil {
			return nil, fmt.Errorf("role %s: %w", r.name, err)
		}
	}
	return view, nil
}

// listRoles tells the shell which roles there are.
func (cli *commandLine) listRoles(view *catalog.View) (all []repl.Role) {
	for _, r := range cli.config.roles() {
		one := repl.Role{Name: r.name, Description: r.description(), Bounds: r.words(), Model: r.model()}
		if seen, err := r.seen(view); err != nil {
			one.Wrong = err.Error()
		} else {
			one.Actions = seen.Len()
		}
		all = append(all, one)
	}
	return all
}

// takeRole narrows a session to a role.
func (cli *commandLine) takeRole(s *session.Session, name string) error {
	r, err := cli.config.role(name)
	if err != nil {
		return err
	}
	taken, err := r.whole()
	if err != nil {
		return err
	}
	return s.Take(taken)
}

// resumeRoles narrows a session to the roles of the earlier one, unless --role none says not to.
func (cli *commandLine) resumeRoles(s *session.Session, records []trace.Record) (notices []string, err error) {
	for _, name := range session.RolesAtEnd(records) {
		if cli.Role == noRole {
			notices = append(notices, "without the role "+name+" of the earlier session, as --role none says")
			continue
		}
		taken := func(r session.Role) bool { return r.Name == name }
		if slices.ContainsFunc(s.Roles(), taken) {
			continue
		}
		if err := cli.takeRole(s, name); err != nil {
			return nil, fmt.Errorf("the earlier session had a role: %w; --role none resumes without", err)
		}
		notices = append(notices, "role "+name+", as the earlier session had it")
	}
	return notices, nil
}

type rolesCommand struct {
	Name string `arg:"" optional:"" help:"List the actions of this role."`
	JSON bool   `help:"Print JSON, as --output json does."`
}

// A listedRole is a role in JSON.
type listedRole struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Bounds      string   `json:"bounds,omitempty"`
	Prompt      string   `json:"prompt,omitempty"`
	Model       string   `json:"model,omitempty"`
	Count       int      `json:"count"`
	Actions     []string `json:"actions,omitempty"`
	Error       string   `json:"error,omitempty"`
}

// Run lists the roles, or the actions of one.
func (c rolesCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	format, err := cli.format("json")
	if c.JSON {
		format, err, cli.Output = "json", nil, "json"
	}
	if err != nil {
		return err
	}
	all := cli.config.roles()
	if c.Name != "" {
		one, err := cli.config.role(c.Name)
		if err != nil {
			return misconfigured(err)
		}
		all = []role{one}
	}
	view, done, err := cli.viewOnly(ctx)
	if err != nil {
		return err
	}
	defer done()
	listed := []listedRole{}
	for _, r := range all {
		one := listedRole{
			Name: r.name, Description: r.description(), Bounds: r.words(), Prompt: r.prompt(), Model: r.model(),
		}
		if seen, err := r.seen(view); err != nil {
			one.Error = err.Error()
		} else if one.Count = seen.Len(); format == "json" || c.Name != "" {
			one.Actions = slices.Collect(seen.All())
		}
		listed = append(listed, one)
	}
	switch {
	case format == "json" && c.Name != "":
		return p.printJSON(listed[0])
	case format == "json":
		return p.printJSON(listed)
	case len(listed) == 0:
		fmt.Fprintln(p.stderr, "no roles: a table [roles.NAME] in the configuration makes one")
		return nil
	case c.Name != "":
		return p.printRole(view, listed[0])
	}
	rows := [][]string{}
	for _, r := range listed {
		rows = append(rows, []string{r.Name, cmp.Or(r.Error, text.Count(r.Count, "action")), r.Bounds, r.Description})
	}
	_, err = fmt.Fprintln(p.stdout, text.Sanitize(show.Columns(rows)))
	return err
}

// printRole prints one role with its actions.
func (p *program) printRole(view *catalog.View, r listedRole) error {
	if r.Error != "" {
		return misconfigured(fmt.Errorf("%s", r.Error))
	}
	said := r.Name + ": " + text.Count(r.Count, "action")
	for _, more := range []string{r.Bounds, r.Description} {
		if more != "" {
			said += "; " + more
		}
	}
	if r.Prompt != "" {
		said += "\nprompt: " + r.Prompt
	}
	for _, id := range r.Actions {
		said += "\n" + view.Line(id)
	}
	_, err := fmt.Fprintln(p.stdout, text.Sanitize(said))
	return err
}
