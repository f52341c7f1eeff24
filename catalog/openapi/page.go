package openapi

// This file finds the next page of a response: by its Link header, a cursor in it, or a page number.

import (
	"net/url"
	"slices"
	"strings"

	"almanac/catalog/web"
)

// A paging knows which arguments of an operation select a page.
type paging struct {
	params []param // those of the query
	cursor string  // the argument that takes a cursor
	page   string  // the argument that takes a number, from 1
	offset string
	whole  bool  // page, or else offset, takes integers
	size   param // the page size argument
}

var (
	cursorNames = []string{"cursor", "page_token", "pagetoken", "next_token", "nexttoken", "continue",
		"continuation_token", "continuationtoken", "starting_after", "after", "page_cursor", "marker", "next_cursor",
		"scroll_id", "page[cursor]", "page[after]", "pagination_token", "exclusivestartkey", "start_cursor",
		"next_page_token", "$skiptoken", "bookmark"}
	pageNames   = []string{"page", "page_number", "pagenumber", "page[number]", "pageno", "current_page", "pageindex"}
	offsetNames = []string{"offset", "skip", "start", "$skip", "page[offset]", "startat", "start_at", "startindex",
		"start_index"}
	sizeNames = []string{"per_page", "limit", "page_size", "pagesize", "perpage", "page[size]", "page[limit]", "count",
		"max_results", "maxresults", "size", "$top", "items_per_page", "first", "top", "results_per_page"}
	listNames = []string{"data", "items", "results", "records", "values", "entries", "value", "list", "rows",
		"resources", "objects", "content"}
)

func pagingOf(op *operation) paging {
	var p paging
	for _, q := range op.plan.params {
		if q.in == "query" {
			p.params = append(p.params, q)
		}
	}
	if op.plan.body != nil {
		for _, f := range op.plan.body.fields {
			p.params = append(p.params, param{arg: f.arg, name: f.name})
		}
	}
	find := func(names []string) param {
		for _, name := range names {
			for _, q := range p.params {
				if strings.ToLower(q.name) == name {
					return q
				}
			}
		}
		return param{}
	}
	page, offset := find(pageNames), find(offsetNames)
	p.cursor, p.page, p.offset = find(cursorNames).arg, page.arg, offset.arg
	p.whole = page.whole || page.arg == "" && offset.whole
	p.size = find(sizeNames)
	return p
}

// next is the arguments that differ for the next page, nil if there is none or it is unknown. unsure is as in
// catalog.Result.
func (p *paging) next(args map[string]any, answer web.Answer) (next map[string]any, unsure bool) {
	if len(p.params) == 0 {
		return nil, false
	}
	links := answer.Header.Values("Link")
	if target := linkTo(links, "next"); target != "" {
		return p.fromURL(target, args), false
	}
	if len(links) > 0 && strings.Contains(strings.Join(links, ","), "rel=") {
		return nil, false // it has links, but none to a next page
	}
	items := itemsOf(answer.Data, 0)
	object, _ := answer.Data.(map[string]any)
	found, says := p.fromCursor(object, items, args)
	switch {
	case found != nil, says == ended && p.page == "" && p.offset == "":
		return found, false
	case says == repeated:
		return nil, true
	case len(items) == 0:
		return nil, false
	}
	next, unsure = p.byNumber(object, items, args)
	if unsure && says == ended {
		return nil, false
	}
	return next, unsure
}

// A word is what a response says about the next page.
type word int

const (
	silent   word = iota
	ended         // there is none
	repeated      // the cursor of the request
)

// fromCursor looks for a cursor or an address in the response.
func (p *paging) fromCursor(object map[string]any, items []any, args map[string]any) (next map[string]any, says word) {
	holders := []map[string]any{object}
	for _, name := range []string{"meta", "metadata", "response_metadata", "pagination", "paging", "page_info",
		"pageInfo", "links", "_links", "cursor", "cursors", "page"} {
		if inner, ok := object[name].(map[string]any); ok {
			holders = append(holders, inner)
			for _, deeper := range []string{"cursors", "cursor", "next", "pagination", "pages"} {
				if more, ok := inner[deeper].(map[string]any); ok {
					holders = append(holders, more)
				}
			}
		}
	}
	for _, holder := range holders {
		for _, name := range []string{
			"next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken", "NextToken", "continue",
			"continuation_token", "continuationToken",
			"next", "nextLink", "@odata.nextLink", "next_link", "next_url", "nextUrl", "next_page_url", "next_page_uri",
			"next_page", "nextPage", "next_uri",
			"after", "endCursor", "end_cursor", "href", "next_marker", "scroll_id", "bookmark",
		} {
			value, has := holder[name]
			if !has || name == "href" && len(holder) > 4 {
				continue
			}
			if next := p.fromValue(value, args); next != nil {
				return next, silent
			}
			switch {
			case value == nil || value == "":
				says = max(says, ended)
			case p.cursor != "" && args[p.cursor] == value && name != "after":
				says = repeated
			}
		}
	}
	more, known := object["has_more"].(bool)
	if !known {
		more, known = object["hasMore"].(bool)
	}
	if known && !more {
		return nil, ended
	}
	if p.cursor == "starting_after" && known && len(items) > 0 {
		if last, isObject := items[len(items)-1].(map[string]any); isObject && last["id"] != nil {
			return map[string]any{p.cursor: last["id"]}, silent
		}
	}
	return nil, says
}

// fromValue makes arguments of a cursor, a page number or an address.
func (p *paging) fromValue(value any, args map[string]any) map[string]any {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
		if strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://") ||
			strings.HasPrefix(v, "/") && strings.Contains(v, "?") {
			return p.fromURL(v, args)
		}
		if p.cursor != "" && len(v) < 8<<10 && args[p.cursor] != v {
			return map[string]any{p.cursor: v}
		}
	case int64:
		for _, arg := range []string{p.page, p.cursor} {
			if arg != "" && v > 0 && args[arg] != v {
				return map[string]any{arg: v}
			}
		}
	}
	return nil
}

// fromURL takes the arguments of an address that differ from those given.
func (p *paging) fromURL(address string, args map[string]any) map[string]any {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	query, next := u.Query(), map[string]any{}
	for _, q := range p.params {
		values, has := query[q.name]
		if !has || len(values) != 1 || scalarText(args[q.arg]) == values[0] {
			continue
		}
		if _, isList := args[q.arg].([]any); isList || args[q.arg] == nil && !p.turns(q.arg) {
			continue
		}
		next[q.arg] = values[0]
	}
	if len(next) == 0 {
		return nil
	}
	return next
}

func (p *paging) turns(arg string) bool {
	return arg == p.cursor || arg == p.page || arg == p.offset || arg == p.size.arg ||
		slices.Contains([]string{"before", "since", "since_id", "max_id"}, strings.ToLower(arg))
}

// byNumber increments the page number or offset if the page was full or the response says that there is more. If the
// page size is unknown it does too, unsure.
func (p *paging) byNumber(object map[string]any, items []any, args map[string]any) (next map[string]any, unsure bool) {
	size := int64(p.size.size)
	if n, ok := args[p.size.arg].(int64); ok && p.size.arg != "" {
		size = n
	}
	full := size > 0 && int64(len(items)) >= size
	number := func(names ...string) (int64, bool) {
		for _, holder := range []any{object, object["meta"], object["pagination"], object["paging"], object["page"]} {
			inner, _ := holder.(map[string]any)
			for _, name := range names {
				if n, ok := inner[name].(int64); ok {
					return n, true
				}
			}
		}
		return 0, false
	}
	more := full
	unsure = size == 0 && p.whole
	if has, ok := object["has_more"].(bool); ok {
		more, unsure = has, false
	}
	switch {
	case p.page != "":
		at, ok := args[p.page].(int64)
		if !ok {
			if at, ok = number("page", "current_page", "page_number", "number"); !ok {
				at = 1
			}
		}
		if last, ok := number("total_pages", "totalPages", "page_count", "pages", "last_page"); ok {
			more, unsure = at < last, false
		}
		if more || unsure {
			return map[string]any{p.page: at + 1}, unsure
		}
	case p.offset != "":
		at, _ := args[p.offset].(int64)
		if total, ok := number("total", "total_count", "totalCount", "count_total", "total_results"); ok {
			more, unsure = at+int64(len(items)) < total, false
		}
		if more || unsure {
			return map[string]any{p.offset: at + int64(len(items))}, unsure
		}
	}
	return nil, false
}

// itemsOf is the main list of a response.
func itemsOf(data any, depth int) []any {
	switch v := data.(type) {
	case []any:
		return v
	case map[string]any:
		for _, name := range listNames {
			if list, ok := v[name].([]any); ok {
				return list
			}
		}
		var only []any
		n := 0
		for _, value := range v {
			if list, ok := value.([]any); ok {
				only, n = list, n+1
			}
		}
		if n == 1 {
			return only
		}
	}
	return nil
}

// linkTo finds an address in Link headers by its relation.
func linkTo(headers []string, rel string) string {
	for _, header := range headers {
		for rest := header; rest != ""; {
			_, after, ok := strings.Cut(rest, "<")
			if !ok {
				break
			}
			target, after, ok := strings.Cut(after, ">")
			if !ok {
				break
			}
			attributes, more, _ := strings.Cut(after, "<")
			rest = ""
			if more != "" {
				rest = "<" + more
			}
			for attribute := range strings.SplitSeq(attributes, ";") {
				name, value, _ := strings.Cut(strings.Trim(attribute, " ,\t"), "=")
				if strings.EqualFold(strings.TrimSpace(name), "rel") && slices.Contains(strings.Fields(strings.Trim(value, `" `)),
					rel) {
					return target
				}
			}
		}
	}
	return ""
}
