// This file is the log of a session, and what a session keeps there.

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/llm"
	"almanac/session"
	"almanac/session/effect"
	"almanac/session/kept"
	"almanac/session/trace"
)

// A sessionLog is a session's log, with the Lua state beside it where one is kept. The caller closes it after the
// session.
type sessionLog struct {
	*trace.Log
	id     string
	states *trace.StateFile
	kept   *kept.Store // beside the log; nil where there can be none
}

// openLog creates the log of a new session over view; text and about say what they know of it.
func (cli *commandLine) openLog(view *catalog.View, text string, about trace.About) (*sessionLog, error) {
	now := time.Now()
	about.ID, about.Version, about.Sources = session.NewID(now), version, cli.shownSources()
	about.Actor, about.Tenant = view.Actor(), view.Tenant()
	about.Dir, _ = os.Getwd()
	about.Process = os.Getpid()
	log, err := trace.CreateLog(cli.archive().Path(about.ID, now), cli.credentials.filter)
	if err != nil {
		return nil, err
	}
	l := &sessionLog{Log: log, id: about.ID}
	if err := l.Append(trace.Record{Time: now, Kind: trace.KindSession, Text: text, About: &about}); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if l.kept, err = kept.Open(trace.KeptPath(l.Path())); err != nil {
		l.note(err.Error())
		return l, nil
	}
	l.Keep(l.kept.Put)
	return l, nil
}

// session returns o for the session of this log: its records and notes go there, and without the secrets.
func (cli *commandLine) session(l *sessionLog, o session.Options) session.Options {
	o.ID, o.Record, o.Secrets = l.id, l.Append, cli.credentials.filter
	o.LooseReads, _ = pattern.ParseAll(cli.LooseReads) // as validated
	o.ApplyEffects, _ = effect.ParseKinds(cli.ApplyEffects)
	o.ContextKeys = cli.ContextKeys
	o.Loose = !cli.Transactional
	own := o.Context
	o.Context = cli.hostContext()
	o.Context.AgentName = cmp.Or(own.AgentName, o.Context.AgentName)
	o.Context.TeamID = cmp.Or(own.TeamID, o.Context.TeamID)
	roles, _ := cli.roles() // as the feed has read them
	for _, r := range roles {
		o.Roles = append(o.Roles, r.taken())
	}
	if l.states != nil {
		o.Saved = func(s session.State) { l.states.Put(trace.State(s)) }
		o.Store = l.kept
	}
	// Sandbox features that this operating system lacks are logged.
	o.Kernel.Logf = func(format string, args ...any) { l.note(fmt.Sprintf(format, args...)) }
	return o
}

// hostContext is what the host tells actions beside their arguments.
func (cli *commandLine) hostContext() catalog.Context {
	dir := cli.projectDir()
	if dir == "" {
		dir, _ = os.Getwd()
	}
	return catalog.Context{
		Actor: loginName(), AgentName: cli.agentName(), TeamID: cmp.Or(cli.Context.TeamID, cli.Team),
		ProjectPath: dir, Workspace: cli.workspaceDir(),
	}
}

// projectDir is the folder of the project, where one was named or there is a project's file; else empty.
func (cli *commandLine) projectDir() (dir string) {
	switch given := cli.Context.ProjectPath; {
	case given != "":
		dir, _ = filepath.Abs(given)
	case cli.config != nil && cli.config.project.path != "":
		dir = filepath.Dir(cli.config.project.path)
	}
	return dir
}

// loginName is the person's; $USER is not set everywhere, as in containers.
func loginName() string {
	name := os.Getenv("USER")
	if u, err := user.Current(); name == "" && err == nil {
		name = u.Username[strings.LastIndexByte(u.Username, '\\')+1:] // DOMAIN\name on Windows
	}
	return name
}

// keepStates keeps the Lua state beside the log, for a later session to resume.
func (l *sessionLog) keepStates() {
	l.states = trace.KeepState(trace.StatePath(l.Path()), func(err error) { l.note(err.Error()) })
}

// note logs a line. The next run reports a full log.
func (l *sessionLog) note(line string) {
	_ = l.Append(trace.Record{Time: time.Now(), Kind: trace.KindNote, Text: line})
}

// message logs a message of the conversation. The next run reports a full log.
func (l *sessionLog) message(m llm.Message) {
	text, err := json.Marshal(m)
	if err == nil {
		_ = l.Append(trace.Record{Time: time.Now(), Kind: trace.KindMessage, Message: text})
	}
}

// usage logs what a completion or a tool cost.
func (l *sessionLog) usage(u llm.Usage) {
	text, err := json.Marshal(u)
	if err == nil {
		_ = l.Append(trace.Record{Time: time.Now(), Kind: trace.KindUsage, Usage: text})
	}
}

// Close ends the log, after the last state is written.
func (l *sessionLog) Close() error {
	var err error
	if l.states != nil {
		err = l.states.Close()
	}
	if l.kept != nil {
		err = errors.Join(err, l.kept.Close())
	}
	return errors.Join(err, l.Log.Close())
}
