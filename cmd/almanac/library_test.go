package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// library starts the library of catalog/openapi/testdata for a script and sets LIBRARY to its address. Only the reader
// of the books needs no token; the token is "sesame-4711".
func library(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: library")
	}
	document, err := os.ReadFile("../../catalog/openapi/testdata/library.yaml")
	ts.Check(err)
	var mu sync.Mutex
	titles := []string{"Dune", "Solaris", "Ubik", "Kindred", "Neuromancer"}
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(v)
	}
	book := func(i int) map[string]any { return map[string]any{"id": i + 1, "title": titles[i]} }
	mux.HandleFunc("GET /library.yaml", func(w http.ResponseWriter, _ *http.Request) { w.Write(document) })
	mux.HandleFunc("GET /v1/books", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		page, _ := strconv.Atoi(r.FormValue("page"))
		from := max(0, page-1) * 2
		list := []any{}
		for i := from; i < min(from+2, len(titles)); i++ {
			list = append(list, book(i))
		}
		if from+2 < len(titles) {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s/v1/books?page=%d>; rel="next"`, r.Host, page+1))
		}
		reply(w, http.StatusOK, list)
	})
	mux.HandleFunc("GET /v1/books/{id}", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		id, _ := strconv.Atoi(r.PathValue("id"))
		if id < 1 || id > len(titles) {
			reply(w, http.StatusNotFound, map[string]any{"message": "no such book"})
			return
		}
		reply(w, http.StatusOK, book(id-1))
	})
	mux.HandleFunc("POST /v1/books", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer sesame-4711" {
			reply(w, http.StatusUnauthorized, map[string]any{"message": "who are you? not " + r.Header.Get("Authorization")})
			return
		}
		var in struct{ Title string }
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &in) != nil || in.Title == "" {
			reply(w, http.StatusUnprocessableEntity, map[string]any{"message": "a book has a title"})
			return
		}
		titles = append(titles, in.Title)
		reply(w, http.StatusCreated, book(len(titles)-1))
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("LIBRARY", server.URL)
	ts.Check(os.WriteFile(ts.MkAbs("library.yaml"), document, 0o600))
}
