package openapi

import (
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/tree"
	"almanac/catalog/web"
)

func TestNext(t *testing.T) {
	query := func(names ...string) paging {
		var op operation
		for _, name := range names {
			op.plan.params = append(op.plan.params,
				param{name: name, arg: name, in: "query", whole: name == "page" || name == "offset"})
		}
		return pagingOf(&op)
	}
	one := table{"id": "x1"}
	link := func(s string) http.Header { return http.Header{"Link": {s}} }
	for _, test := range []struct {
		name   string
		p      paging
		args   table
		data   any
		header http.Header
		want   table
	}{
		{"a link", query("page", "per_page"), table{"per_page": int64(2)}, []any{one, one},
			link(`<https://x.example/a?page=3&per_page=2>; rel="next", <https://x.example/a?page=9>; rel="last"`),
			table{"page": "3"}},
		{"no link to a next page", query("page", "per_page"), table{"per_page": int64(1)}, []any{one},
			link(`<https://x.example/a?page=1>; rel="prev"`), nil},
		{"a link with what is no argument", query("page"), table{}, []any{one},
			link(`<https://x.example/a?page=2&token=secret>; rel=next`), table{"page": "2"}},
		{"a cursor", query("cursor", "limit"), table{},
			table{"items": []any{one}, "next_cursor": "c2"}, nil, table{"cursor": "c2"}},
		{"a cursor inside", query("page_token"), table{"page_token": "c1"}, table{"meta": table{"nextPageToken": "c2"}},
			nil, table{"page_token": "c2"}},
		{"the last cursor", query("cursor"), table{"cursor": "c2"}, table{"items": []any{one}, "next_cursor": ""}, nil, nil},
		{"unsure: the same cursor again", query("cursor"), table{"cursor": "c2"},
			table{"items": []any{one}, "next_cursor": "c2"}, nil, nil},
		{"an address", query("after"), table{},
			table{"data": []any{one}, "paging": table{"next": "https://x.example/a?after=k"}}, nil, table{"after": "k"}},
		{"has_more and the last id", query("starting_after"), table{}, table{"data": []any{one}, "has_more": true}, nil,
			table{"starting_after": "x1"}},
		{"has_more is false", query("starting_after"), table{}, table{"data": []any{one}, "has_more": false}, nil, nil},
		{"a full page", query("page", "per_page"), table{"page": int64(3), "per_page": int64(1)},
			[]any{one}, nil, table{"page": int64(4)}},
		{"a page that is not full", query("page", "per_page"),
			table{"page": int64(3), "per_page": int64(2)}, []any{one}, nil, nil},
		{"pages in all", query("page"), table{},
			table{"items": []any{one}, "total_pages": int64(2)}, nil, table{"page": int64(2)}},
		{"the last page", query("page"), table{"page": int64(2)},
			table{"items": []any{one}, "total_pages": int64(2)}, nil, nil},
		{"an offset and a total", query("offset", "limit"), table{"offset": int64(1)},
			table{"items": []any{one}, "total": int64(3)}, nil, table{"offset": int64(2)}},
		{"nothing there", query("page", "per_page"), table{"per_page": int64(0)}, []any{}, nil, nil},
		{"unsure: no size, pages by number", query("page", "per_page"), table{}, []any{one}, nil, table{"page": int64(2)}},
		{"unsure: no size, by offset", query("offset", "limit"), table{"offset": int64(2)}, table{"items": []any{one}},
			nil, table{"offset": int64(3)}},
		{"no size and an empty page", query("page", "per_page"), table{"page": int64(2)}, []any{}, nil, nil},
		{"no size, and next is null", query("page"), table{}, table{"results": []any{one}, "next": nil}, nil, nil},
		{"a start that is no number", query("start"), table{}, []any{one}, nil, nil},
		{"no paging", query("name"), table{}, []any{one}, link(`<https://x.example/a?page=2>; rel="next"`), nil},
	} {
		got, unsure := test.p.next(test.args, web.Answer{Data: test.data, Header: test.header})
		if unsure != strings.HasPrefix(test.name, "unsure: ") {
			t.Errorf("%s: unsure is %v", test.name, unsure)
		}
		if len(got) != len(test.want) || len(got) > 0 && !reflect.DeepEqual(table(got), test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestPairs(t *testing.T) {
	list, object := []any{"a", int64(2)}, table{"k": "v", "n": 1.5}
	for _, test := range []struct {
		p    param
		v    any
		want string
	}{
		{param{style: "form", explode: true}, list, "p=a&p=2"},
		{param{style: "form"}, list, "p=a,2"},
		{param{style: "form"}, []any{3703701.75, 1e15, 1e21, 1e-7}, "p=3703701.75,1000000000000000,1e%2B21,1e-7"},
		{param{style: "spaceDelimited"}, list, "p=a%202"},
		{param{style: "pipeDelimited"}, list, "p=a%7C2"},
		{param{style: "tabDelimited"}, list, "p=a%092"},
		{param{style: "form", explode: true}, object, "k=v&n=1.5"},
		{param{style: "form"}, object, "p=k%2Cv%2Cn%2C1.5"},
		{param{style: "deepObject", explode: true}, object, "p%5Bk%5D=v&p%5Bn%5D=1.5"},
		{param{style: "deepObject"}, table{"a": table{"b": list}}, "p%5Ba%5D%5Bb%5D%5B0%5D=a&p%5Ba%5D%5Bb%5D%5B1%5D=2"},
		{param{style: "form", json: true}, object, "p=%7B%22k%22%3A%22v%22%2C%22n%22%3A1.5%7D"},
		{param{style: "form", explode: true, reserved: true}, "a/b?c&d=e#f", "p=a/b?c%26d%3De%23f"},
		{param{style: "form", explode: true}, true, "p=true"},
		{param{style: "form", explode: true}, 1e21, "p=1e%2B21"},
		{param{in: "path", style: "simple"}, list, "a,2"},
		{param{in: "path", style: "simple", explode: true}, object, "k=v,n=1.5"},
		{param{in: "path", style: "label", explode: true}, list, ".a.2"},
		{param{in: "path", style: "matrix"}, list, ";p=a,2"},
		{param{in: "path", style: "matrix", explode: true}, object, ";k=v;n=1.5"},
		{param{in: "path", style: "simple"}, "a/../b", "a%2F..%2Fb"},
	} {
		test.p.name = "p"
		got := pathText(&test.p, test.v)
		if test.p.in != "path" {
			got = ""
			for i, part := range queryText(&test.p, test.v) {
				if i > 0 {
					got += "&"
				}
				got += part
			}
		}
		if got != test.want {
			t.Errorf("%+v of %v:\n got %s\nwant %s", test.p, test.v, got, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ method, path, operationID, tag, want string }{
		{"get", "/repos/{owner}/{repo}/issues", "issues/list-for-repo", "issues", "s.issues.list_for_repo"},
		{"get", "/pets", "listPets", "pets", "s.pets.list_pets"},
		{"get", "/v1/accounts/{account}/bank_accounts/{id}", "GetAccountsAccountBankAccountsId", "",
			"s.accounts.get_bank_account"},
		{"post", "/v1/charges", "PostCharges", "", "s.charges.create"},
		{"get", "/api/v1/namespaces/{namespace}/pods", "listCoreV1NamespacedPod", "core_v1", "s.core_v1.list_namespaced_pod"},
		{"get", "/items/{item_id}", "read_item_items__item_id__get", "", "s.items.read_item"},
		{"delete", "/users/{id}", "", "Users & Groups", "s.users_groups.delete_user"},
		{"post", "/x", "end", "", "s.x.end_"},
		{"post", "/v1/charges/{charge}", "PostChargesCharge", "", "s.charges.update"},
		{"post", "/v1/charges/{charge}/capture", "PostChargesChargeCapture", "", "s.charges.capture"},
		{"post", "/v1/charges/{charge}/refunds", "PostChargesChargeRefunds", "", "s.charges.create_refund"},
		{"get", "/2fa", "2fa", "2FA", "s.n2_fa.n2fa"},
		{"get", "/", "", "", "s.list"},
		{"get", "/ü", "Façade", "", "s.u.facade"},
		{"get", "/pets/{id}/photos", "получитьФото", "", "s.pets.list_photos"},
		{"post", "/orders", "注文を作成v2", "Заказы", "s.orders.create"},
		{"get", "/счета", "списокСчетов", "", "s.счета.список_счетов"},
		// What the name of the source says, or a framework, is left out; so is what a dotted name repeats.
		{"get", "/s/jobs/{id}", "getJob", "", "s.jobs.get_job"},
		{"get", "/s", "s_list_all", "s", "s.list_all"},
		{"get", "/getText", "getTextUsingGET", "pad", "s.pad.get_text"},
		{"get", "/2020-05-31/distribution/{Id}", "GetDistribution2020_05_31", "", "s.distribution.get_distribution"},
		{"get", "/V1/coupons/{couponId}", "salesRuleCouponRepositoryV1GetByIdGet", "coupons",
			"s.coupons.sales_rule_coupon_repository_get_by_id"},
		{"post", "/groups/{g}/sites/{s}/lists/{l}/microsoft.graph.unpublish", "groups.group.sites.site.lists.list.unpublish",
			"groups.Actions", "s.groups.sites_lists_unpublish"},
		{"post", "/sendMessage", "", "", "s.send_message.create"},
		{"post", "/getUser", "", "", "s.get_user"},
		{"get", "/#Action=DescribeTags", "GET_DescribeTags", "", "s.describe_tags"},
		{"post", "/#Action=DescribeTags", "POST_DescribeTags", "", "s.describe_tags_post"},
		{"put", "/indexes/{uid}/settings/typo-tolerance", "puttypoTolerance", "settings", "s.settings.put_typo_tolerance"},
		{"post", "/{index}/_search", "search-3", "search", "s.search.search_3"},
		{"get", "/oauth2/clients", "listOAuth2Clients", "OAuth", "s.oauth.list_oauth2_clients"},
		// A long name loses what stands in its midst, or behind "by".
		{"get", "/a/{a}/b/{b}/c", "a.administrativeUnits.extensionProperties.ListSingleValueExtendedProperties", "a",
			"s.a.list_single_value_extended_properties"},
		{"get", "/providers/employers/{employerId}/nationalholidays/{id}", "getNationalHolidaysByEmployerIdAndHolidayOrYear",
			"calendar", "s.calendar.get_national_holidays"},
	} {
		op := &operation{method: test.method, path: test.path, operationID: test.operationID}
		op.name = habit{source: []string{"s"}}.nameOf(op, test.tag)
		assign([]*operation{op}, "s")
		if op.id != test.want {
			t.Errorf("%s %s %s: got %s, want %s", test.method, test.path, test.operationID, op.id, test.want)
		}
	}
}

// TestHabits: what all operations of a document share is in none of their names.
func TestHabits(t *testing.T) {
	for _, test := range []struct {
		name string
		ops  []string // method, path, operationId, tag
		want string
	}{
		{"one tag for all", []string{"post /accounts/get accountsGet bank",
			"post /accounts/balance/get accountsBalanceGet bank",
			"post /item/remove itemRemove bank", "post /auth/get authGet bank", "post /wallet/list walletList bank"},
			"s.accounts.get s.accounts.balance_get s.item.remove s.auth.get s.wallet.list"},
		{"one piece in front", []string{"get /mail/v1/users/{u}/drafts mail.users.drafts.list users",
			"get /mail/v1/users/{u}/threads mail.users.threads.list users", "post /mail/v1/users/{u}/stop mail.users.stop users",
			"get /mail/v1/users/{u}/profile mail.users.getProfile users"},
			"s.users.drafts_list s.users.threads_list s.users.stop s.users.get_profile"},
		{"paths are functions", []string{"post /sendMessage", "post /getMe", "post /banChatMember", "post /close"},
			"s.send_message s.get_me s.ban_chat_member s.close.create"},
		{"one folder for all", []string{"get /svc/a/x", "get /svc/b/x", "get /svc/c/{id}", "get /svc/d"},
			"s.a.list_x s.b.list_x s.c.get s.d.list"},
		{"hashes", []string{"get /groups/{g}/sites/$count Get.Count.sites-e001", "get /users/$count Get.Count.users-fe5a",
			"get /users/{u}/memberOf/graph.v1.group Get.Items.As.group-cc0a", "get /groups/$count Get.Count.groups-fe5b"},
			"s.groups.count_sites s.users.count_users s.users.list_group s.groups.count_groups"},
	} {
		var ops []*operation
		for _, text := range test.ops {
			parts := append(strings.Fields(text), "", "")
			ops = append(ops, &operation{method: parts[0], path: parts[1], operationID: parts[2], tags: parts[3:4]})
		}
		h := habitOf(ops, "s")
		for _, op := range ops {
			op.name = h.nameOf(op, op.tags[0])
		}
		assign(ops, "s")
		var ids []string
		for _, op := range ops {
			ids = append(ids, op.id)
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// TestCollisions: ids do not depend on the order of the document, and stay when another operation goes.
func TestCollisions(t *testing.T) {
	make := func(paths ...string) map[string]string {
		var ops []*operation
		for _, path := range paths {
			op := &operation{method: "get", path: path, operationID: "find"}
			op.name = habit{}.nameOf(op, "things")
			ops = append(ops, op)
		}
		assign(ops, "s")
		ids := map[string]string{}
		for _, op := range ops {
			ids[op.path] = op.id
		}
		return ids
	}
	all := make("/a", "/b/{x}", "/c/{x}/d", "/e/{x}/d")
	if again := make("/e/{x}/d", "/c/{x}/d", "/b/{x}", "/a"); !reflect.DeepEqual(all, again) {
		t.Errorf("got %v, then %v", all, again)
	}
	if fewer := make("/a", "/e/{x}/d"); fewer["/e/{x}/d"] != all["/e/{x}/d"] || fewer["/a"] != "s.things.find" {
		t.Errorf("got %v, with fewer %v", all, fewer)
	}
}

func TestEffects(t *testing.T) {
	for _, test := range []struct{ method, path, id, summary, want string }{
		{"get", "/a", "listA", "List", "read low"},
		{"get", "/session", "deleteSession", "Log out", "delete high"},
		{"head", "/a", "", "", "read low"},
		{"post", "/a", "createA", "Create", "create medium"},
		{"post", "/a/search", "searchA", "Search for a", "read low"},
		{"post", "/a/search", "searchA", "Create a saved search", "create medium"},
		{"post", "/a/query", "queryA", "", "read low"},
		{"post", "/a/list", "doA", "Does something", "create medium"},
		{"post", "/a/{id}/cancel", "cancelA", "", "update high"},
		{"post", "/a/delete", "deleteA", "", "delete high"},
		{"post", "/a/{id}", "", "", "update medium"},
		{"put", "/a/{id}", "replaceA", "", "update medium"},
		{"patch", "/a/{id}", "", "", "update medium"},
		{"delete", "/a/{id}", "", "", "delete high"},
	} {
		op := &operation{method: test.method, path: test.path, operationID: test.id, summary: test.summary}
		op.name = habit{}.nameOf(op, "")
		var e catalog.Entry
		effects(op, nil, false, &e)
		if got := string(e.Operation) + " " + string(e.Risk); got != test.want || e.Mutates != (e.Operation != "read") {
			t.Errorf("%s %s %s %q: got %s, mutates %v, want %s", test.method, test.path, test.id,
				test.summary, got, e.Mutates, test.want)
		}
	}
}

// TestCommands: what a GET sends in its Action parameter decides what it does.
func TestCommands(t *testing.T) {
	root, err := tree.Parse([]byte(`{"swagger": "2.0", "paths": {
		"/#Action=TerminateInstances": {"get": {"operationId": "GET_TerminateInstances", "parameters": [
			{"name": "Action", "in": "query", "required": true, "type": "string", "enum": ["TerminateInstances"]}]}},
		"/#Action=DescribeInstances": {"get": {"operationId": "GET_DescribeInstances"}},
		"/vm": {"parameters": [{"name": "op", "in": "query", "schema": {"enum": ["status", "reboot"]}}], "get": {"operationId": "vm"}},
		"/pods/{id}/{action}": {"get": {"operationId": "pods", "parameters": [
			{"name": "id", "in": "path", "type": "string"}, {"name": "action", "in": "path", "type": "string"}]}},
		"/api": {"get": {"operationId": "api", "parameters": [{"name": "op", "in": "query", "schema": {"type": "string"}}]}},
		"/logs": {"get": {"operationId": "listLogs", "parameters": [{"name": "action", "in": "query", "schema": {"type": "string"}}]}},
		"/query": {"get": {"operationId": "query", "parameters": [{"name": "operation", "in": "header", "enum": ["delete"]}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDocument(root)
	if err != nil {
		t.Fatal(err)
	}
	ops, _, _ := d.operations("s")
	want := map[string]string{
		"GET_TerminateInstances": "update true high", "GET_DescribeInstances": "read false low",
		"pods": "update true medium", "api": "update true medium", "listLogs": "read false low",
		"vm": "update true high", "query": "read false low",
	}
	for _, op := range ops {
		var e catalog.Entry
		op.name = habit{}.nameOf(op, "")
		commands, free := d.commands(op)
		effects(op, commands, free, &e)
		if got := fmt.Sprint(e.Operation, " ", e.Mutates, " ", e.Risk); got != want[op.operationID] {
			t.Errorf("%s: got %s, want %s", op.operationID, got, want[op.operationID])
		}
	}
	if len(ops) != len(want) {
		t.Errorf("got %d operations", len(ops))
	}
}

// TestBodies writes forms and parts, and shows that one argument cannot become another.
func TestBodies(t *testing.T) {
	k := listen(t, "testdata/older.json", options{}, answer(`{}`))
	for _, test := range []struct {
		id   string
		args table
		want string
	}{
		{"older.sailings.cancel_sailing", table{"id": "a b", "reason": "wind & rain", "notify": true},
			"POST /v1/sailings/a%20b/cancel notify=true&reason=wind%20%26%20rain"},
		{"older.sailings.add_sailing", table{"body": table{"from": "A", "to": "B", "cars": 3}},
			`POST /v1/sailings {"cars":3,"from":"A","to":"B"}`},
		{"older.sailings.list", table{"harbour": []any{"x", "y"}, "days": []any{1, 2}},
			"GET /v1/sailings?harbour=x%7Cy&offset=0&limit=3&days=1&days=2"},
	} {
		if _, err := k.call(test.id, test.args); err != nil {
			t.Errorf("%s: %v", test.id, err)
		} else if got := k.asked[len(k.asked)-1]; got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.id, got, test.want)
		}
	}
	var photo, name, id string
	k = listen(t, "testdata/older.json", options{}, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	k.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("photo")
		if err == nil {
			text, _ := io.ReadAll(file)
			photo, name, id = string(text), header.Filename, r.FormValue("id")
		}
		w.WriteHeader(http.StatusNoContent)
	})
	if _, err := k.call("older.sailings.photo",
		table{"id": "7", "photo": "\x89PNG\r\n--x\xff", "body_id": "a\r\nb"}); err != nil || photo != "\x89PNG\r\n--x\xff" ||
		name != "photo" || id != "a\r\nb" {
		t.Errorf("got %q, %q, %q, %v", photo, name, id, err)
	}
	if _, err := k.call("older.sailings.photo", table{"id": "7", "photo": "x\r\n--" + boundary + "--"}); err == nil {
		t.Error("a file with the line that separates parts was sent")
	}
	if _, err := k.call("older.sailings.cancel_sailing", table{"id": ".."}); err == nil {
		t.Error("a path argument climbs")
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"<p>Makes a <code>refund</code>.</p>\r\n<br/>Once &amp; whole.": "Makes a refund.\nOnce & whole.",
		"POST /x/<name>":            "POST /x/<name>",
		"a\u001b[2J\u0007\tb\u202e": "a  \tb",
		"<script>alert(1)</script>": "<script>alert(1)</script>",
		strings.Repeat("ä", 100):    strings.Repeat("ä", 18) + "…",
	} {
		if got := lines(text, 40); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
