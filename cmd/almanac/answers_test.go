package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// answers starts a server of fixed answers and puts its URL into a variable, and for $VARIABLE in files: answers
// VARIABLE ROUTES FILE... A line of ROUTES is METHOD PATH STATUS BODY; several of one METHOD and PATH are answered in
// turn, the last again and again. The requests are in the file VARIABLE.requests.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: answers VARIABLE ROUTES FILE...")
	}
	var mu sync.Mutex
	routes := map[string][]string{}
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if fields := strings.SplitN(strings.TrimSpace(line), " ", 3); len(fields) == 3 {
			routes[fields[0]+" "+fields[1]] = append(routes[fields[0]+" "+fields[1]], fields[2])
		}
	}
	asked := ts.MkAbs(args[0] + ".requests")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		f, err := os.OpenFile(asked, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(f, strings.Join(slices.DeleteFunc([]string{r.Method, r.RequestURI, string(body),
			r.Header.Get("Authorization")}, func(part string) bool { return part == "" }), " "))
		f.Close()
		route := r.Method + " " + r.URL.Path
		status, text, _ := strings.Cut(append(routes[route], "404 {}")[0], " ")
		if len(routes[route]) > 1 {
			routes[route] = routes[route][1:]
		}
		code, _ := strconv.Atoi(status)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, text)
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
	for _, name := range args[2:] {
		text := strings.ReplaceAll(ts.ReadFile(name), "$"+args[0], s.URL)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}
