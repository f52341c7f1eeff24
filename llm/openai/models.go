package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	"almanac/llm"
)

// This file lists the models of a server.

// Bounds of the list: bytes of the answer, models, and bytes of a name.
const (
	maxModelsBody = 8 << 20
	maxModels     = 2000
	maxModelName  = 200
)

// A modelEntry is a model as servers list it. Its window has a name of each server's own.
type modelEntry struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Loaded         int    `json:"loaded_context_length"` // LM Studio: what it was loaded with
	MaxModelLen    int    `json:"max_model_len"`         // vLLM
	ContextLength  int    `json:"context_length"`        // OpenRouter, Together
	ContextWindow  int    `json:"context_window"`        // Groq
	MaxContext     int    `json:"max_context_length"`    // LM Studio, Mistral
	MaxInputTokens int    `json:"max_input_tokens"`
	Meta           struct {
		Context int `json:"n_ctx"` // llama.cpp: what it was started with
		Trained int `json:"n_ctx_train"`
	} `json:"meta"`
}

func (m modelEntry) window() int {
	return cmp.Or(m.Loaded, m.MaxModelLen, m.ContextLength, m.ContextWindow, m.MaxContext, m.MaxInputTokens,
		m.Meta.Context, m.Meta.Trained)
}

// Models asks the server which models it has. Errors are as those of Complete.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	if p.fault != nil {
		return nil, p.fault
	}
	x := &exchange{client: p.http, base: p.base}
	body, err := x.get(ctx, p.base+"/models", p.key)
	if err != nil {
		return nil, p.failure(ctx, x, err)
	}
	var listed struct {
		Data   []json.RawMessage `json:"data"`
		Models []json.RawMessage `json:"models"` // Ollama's and llama.cpp's own form
	}
	if err := json.Unmarshal(body, &listed); err != nil {
		return nil, p.failure(ctx, x, x.brokenError("the list of models is not JSON", err))
	}
	var models []llm.Model
	seen := map[string]bool{}
	for _, raw := range append(listed.Data, listed.Models...) {
		var m modelEntry
		if json.Unmarshal(raw, &m) != nil {
			_ = json.Unmarshal(raw, &struct{ ID, Name *string }{&m.ID, &m.Name}) // the name, where a number is odd
		}
		name := cmp.Or(m.ID, m.Name)
		odd := strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
		if name == "" || len(name) > maxModelName || odd || seen[name] || len(models) == maxModels {
			continue
		}
		seen[name] = true
		models = append(models, llm.Model{Name: name, Window: max(m.window(), 0)})
	}
	return models, nil
}

// get reads one document.
func (x *exchange) get(ctx context.Context, address, key string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxModelsBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxModelsBody:
		return nil, fmt.Errorf("the list of models exceeds %d MiB", maxModelsBody>>20)
	case resp.StatusCode >= 300:
		x.status, x.body = resp.StatusCode, body
		return nil, x.statusError(resp)
	}
	return body, nil
}
