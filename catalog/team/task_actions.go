package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// This file is the actions over tasks.

// Tasks are the tasks of the team: those that are open or taken, oldest first, then the others, newest first.
func (t *Team) Tasks(ctx context.Context) ([]Task, error) {
	records, err := t.board.all(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]*record{}
	for i := range records {
		byID[records[i].ID] = &records[i]
	}
	all := make([]Task, len(records))
	for i := range records {
		r := &records[i]
		if r.State == Open {
			r.WaitsFor, _, _ = waits(r, func(id string) (record, error) { // it fails only where there is none
				if before := byID[id]; before != nil {
					return *before, nil
				}
				return record{}, &noTaskError{id}
			})
		}
		all[i] = r.Task
	}
	slices.SortFunc(all, func(a, b Task) int {
		switch {
		case a.Over() && b.Over():
			return cmp.Or(b.Ended.Compare(a.Ended), cmp.Compare(a.ID, b.ID))
		case a.Over():
			return 1
		case b.Over():
			return -1
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Task is the task of the id.
func (t *Team) Task(ctx context.Context, id string) (*Task, error) {
	r, _, err := t.board.read(ctx, id)
	if err == nil && r.State == Open {
		r.WaitsFor, _, err = waits(&r, t.board.getter(ctx))
	}
	return &r.Task, err
}

// Has says whether the session has the task: it has taken it, and has neither ended nor lost it.
func (t *Team) Has(id string) bool { return t.leases.task(id) != nil }

// What the actions over tasks take and return.
type (
	newTask struct {
		Title string   `json:"title" jsonschema:"What there is to do, in a few words"`
		Text  string   `json:"text,omitempty" jsonschema:"All that whoever takes it needs to know"`
		Key   string   `json:"key,omitempty" jsonschema:"Tells the task apart: of one key there is one task, however often it is created"`
		To    string   `json:"to,omitempty" jsonschema:"Agent or role that it is for; left out: anybody"`
		After []string `json:"after,omitempty" jsonschema:"Ids of tasks that have to be finished before it"`
		Tries *int     `json:"tries,omitempty" jsonschema:"How often it may be taken before it is given up, 1 to 10; 3 if left out"`
	}
	createdTask struct {
		ID       string `json:"id"`
		State    string `json:"state"`
		Existing bool   `json:"existing" jsonschema:"There was a task of the key already"`
		Result   string `json:"result" jsonschema:"What was done, in a sentence"`
	}
	taskID struct {
		ID string `json:"id" jsonschema:"The id of the task"`
	}
	someTask struct {
		ID string `json:"id,omitempty" jsonschema:"The id of the task; left out: the next one"`
	}
	endTask struct {
		ID     string `json:"id" jsonschema:"The id of the task"`
		Result string `json:"result,omitempty" jsonschema:"What came of it; if it failed, why"`
		Failed bool   `json:"failed,omitempty" jsonschema:"It could not be done: somebody else may try"`
	}
	listTasks struct {
		ID    string `json:"id,omitempty" jsonschema:"Only this task, with its whole text and result"`
		State string `json:"state,omitempty" jsonschema:"Only tasks that are open, taken, finished, dead or dropped"`
		Limit int    `json:"limit,omitempty" jsonschema:"50 if left out"`
	}
	listedTasks struct {
		Tasks []Task `json:"tasks"`
		Total int    `json:"total" jsonschema:"How many there are without the limit"`
	}
)

// How much a list shows where nothing else is asked for.
const (
	someTasks = 50
	someText  = 300
)

// taskEntries are the actions over tasks.
func (t *Team) taskEntries() []catalog.Entry {
	entities := []string{"task"}
	return []catalog.Entry{
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.task.create", Title: "Create a task for the team",
			Description: "Put a task into the team's queue, where another agent takes it. Its result comes back as a message. " +
				"It survives restarts; one that was given up is dead.",
			Aliases:  []string{"peer_create_task", "peer.task", "delegate work", "queue a job", "divide work"},
			Entities: entities, Mutates: true, Preview: t.previewCreate,
			Examples: []string{`peer.task.create{title = "check the invoices of May", key = "invoices-05"}`},
		}), t.createTask),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.task.take", Title: "Take a task",
			Description: "Take the next task of the team that this agent may do, or the one of the id. Null if there is none. " +
				"Nobody else has it until it is finished or the session ends.",
			Aliases: []string{"peer_take_task", "next job", "what is there to do"}, Entities: entities, Mutates: true,
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				id, _ := call.Args["id"].(string)
				if id == "" {
					return "takes the next task of the team, if there is one", nil
				}
				r, _, err := t.board.read(ctx, id)
				return fmt.Sprintf("takes task %s (%s): %s", id, t.board.standing(&r), r.Title), err
			},
			Examples: []string{`peer.task.take()`},
		}), func(ctx context.Context, in someTask, _ catalog.Context) (*Task, error) {
			r, err := t.board.take(ctx, in.ID)
			if r == nil || err != nil {
				return nil, err
			}
			return &r.Task, nil
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.task.finish", Title: "Finish a task",
			Description: "End a task that this session has taken, with its result. Whoever created it is told. " +
				"A task that failed goes back to the queue, until it was tried often enough.",
			Aliases:  []string{"peer_finish_task", "task is done", "report the result of a job"},
			Entities: entities, Mutates: true,
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				id, _ := call.Args["id"].(string)
				r, _, err := t.board.read(ctx, id)
				if err == nil && t.leases.task(id) == nil {
					err = t.board.notHeld(&r)
				}
				return fmt.Sprintf("ends task %s and tells %s: %s", id, r.By, r.Title), err
			},
			Examples: []string{`peer.task.finish{id = "t-k3x9m2qa", result = "two invoices are wrong: 17 and 23"}`},
		}), t.finishTask),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.task.drop", Title: "Withdraw a task",
			Description: "Withdraw a task that this agent created and that is not finished. Tasks that come after it end too.",
			Aliases:     []string{"peer_drop_task", "cancel a task"}, Entities: entities, Mutates: true,
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				id, _ := call.Args["id"].(string)
				r, _, err := t.board.read(ctx, id)
				return fmt.Sprintf("withdraws task %s (%s): %s", id, t.board.standing(&r), r.Title), err
			},
			Examples: []string{`peer.task.drop{id = "t-k3x9m2qa"}`},
		}), func(ctx context.Context, in taskID, _ catalog.Context) (sent, error) {
			r, err := t.board.drop(ctx, in.ID)
			return sent{"task " + r.ID + " is withdrawn"}, err
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.task.list", Title: "List the tasks of the team",
			Description: "List the tasks of the team with their states: open and taken ones first, then those that are over. " +
				"Long texts and results are cut unless an id is given.",
			Aliases: []string{"peer_list_tasks", "who works on what", "open jobs"}, Entities: entities,
			Examples: []string{`peer.task.list{state = "open"}.tasks`},
		}), t.listTasks),
	}
}

// previewCreate says what creating a task would do.
func (t *Team) previewCreate(ctx context.Context, call catalog.Call) (string, error) {
	title, _ := call.Args["title"].(string)
	if key, _ := call.Args["key"].(string); key != "" {
		there, _, err := t.board.read(ctx, newID(text.OneLine(t.redact(key))))
		if err == nil {
			return fmt.Sprintf("nothing: task %s has the key %s already: %s", there.ID, key, t.board.standing(&there)), nil
		}
		if !isNone(err) {
			return "", err
		}
	}
	to, _ := call.Args["to"].(string)
	return fmt.Sprintf("creates a task for %s: %s", cmp.Or(to, "anybody"), text.LineBytes(title, maxTitle)), nil
}

func (t *Team) createTask(ctx context.Context, in newTask, _ catalog.Context) (createdTask, error) {
	tries := someTries
	if in.Tries != nil {
		tries = *in.Tries
	}
	r, made, err := t.board.create(ctx, Task{
		Title: in.Title, Text: in.Text, Key: in.Key, To: in.To, After: in.After, Most: tries,
	})
	if err != nil {
		return createdTask{}, err
	}
	out := createdTask{ID: r.ID, State: string(r.State), Existing: !made}
	if out.Existing {
		out.Result = fmt.Sprintf("task %s has this key already: created by %s, %s", r.ID, r.By, t.board.standing(&r))
		return out, nil
	}
	out.Result = "task " + r.ID + " is queued"
	if r.To != "" {
		out.Result += " for " + r.To
	}
	if len(r.WaitsFor) > 0 {
		out.Result += "; it waits for " + strings.Join(r.WaitsFor, ", ")
		return out, nil
	}
	switch told, err := t.board.assign(ctx, &r); {
	case err != nil:
		out.Result += "; " + err.Error()
	case told:
		out.Result += ", who is told"
	}
	return out, nil
}

func (t *Team) finishTask(ctx context.Context, in endTask, _ catalog.Context) (sent, error) {
	r, err := t.board.finish(ctx, in.ID, in.Result, !in.Failed)
	untold := (*unsettledError)(nil)
	if err != nil && !errors.As(err, &untold) {
		return sent{}, err
	}
	says := fmt.Sprintf("task %s is %s", r.ID, r.State)
	switch {
	case untold != nil:
		says += ", but " + untold.Error()
	case r.State == Open:
		says += fmt.Sprintf(" again after try %d of %d", r.Tries, r.Most)
	case r.By != t.Agent():
		says += "; " + r.By + " is told"
	}
	return sent{says}, nil
}

func (t *Team) listTasks(ctx context.Context, in listTasks, _ catalog.Context) (out listedTasks, err error) {
	out.Tasks = []Task{}
	if in.ID != "" {
		task, err := t.Task(ctx, in.ID)
		if err != nil {
			return out, err
		}
		return listedTasks{[]Task{*task}, 1}, nil
	}
	states := []TaskState{"", Open, Taken, Finished, Dead, Dropped}
	switch {
	case !slices.Contains(states, TaskState(in.State)):
		const want = "open, taken, finished, dead or dropped"
		return out, &catalog.ArgError{Field: "state", Want: want, Got: strconv.Quote(in.State)}
	case in.Limit < 0:
		return out, &catalog.ArgError{Field: "limit", Want: "a number of tasks", Got: strconv.Itoa(in.Limit)}
	}
	all, err := t.Tasks(ctx)
	if err != nil {
		return out, err
	}
	for _, task := range all {
		if in.State != "" && string(task.State) != in.State {
			continue
		}
		if out.Total++; len(out.Tasks) < cmp.Or(in.Limit, someTasks) {
			task.Text, task.Result = text.ClipBytes(task.Text, someText), text.ClipBytes(task.Result, someText)
			out.Tasks = append(out.Tasks, task)
		}
	}
	return out, nil
}
