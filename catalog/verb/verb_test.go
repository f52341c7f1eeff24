package verb

import (
	"fmt"
	"strings"
	"testing"
)

// The names are those of public OpenAPI documents.
func TestInfer(t *testing.T) {
	for _, c := range []struct {
		method, name, path, text, want string
	}{
		// A GET whose name, command, path or text says that it changes something.
		{"get", "GET_TerminateInstances", "/#Action=TerminateInstances", "", "update high"},
		{"get", "GET_DescribeInstances", "/#Action=DescribeInstances", "", "read low"},
		{"get", "GET_BatchDeleteScheduledAction", "/#Action=BatchDeleteScheduledAction", "", "delete high"},
		{"get", "GET_RequestSpotFleet", "/#Action=RequestSpotFleet", "", "update medium"},
		{"get", "", "/?Action=RebootInstances&Version=2", "", "update high"},
		{"get", "GET_PutLifecycleHook", "/", "", "update medium"},
		{"get", "GET_CreateVpc", "/", "", "create medium"},
		{"get", "deletePadUsingGET", "/deletePad", "deletes a pad", "delete high"},
		{"get", "copyPadUsingGET", "/copyPad", "", "update medium"},
		{"get", "bulkDeleteUsers", "/users", "", "delete high"},
		{"get", "auth_revoke", "/auth.revoke", "Revokes a token.", "update high"},
		{"get", "workflows_updateStep", "/workflows.updateStep",
			"Update the configuration for a workflow step.", "update medium"},
		{"get", "datalabeling.projects.operations.cancel", "/v1beta1/{name}:cancel",
			"Starts asynchronous cancellation", "update high"},
		{"get", "", "/screenshot/delete", "", "delete high"},
		{"get", "", "/users/{id}/delete/{token}", "", "delete high"},
		{"get", "", "/cart.disconnect.json", "", "update medium"},
		{"get", "", "/removeCurationTag", "", "delete high"},
		{"get", "", "/users/resendWelcomeSms", "", "update medium"},
		{"get", "dialog", "/dialog.x", "Open a dialog with a user", "update medium"},
		{"get", "get_integration_activation_resource", "/integrations/{id}/activate", "", "update medium"},
		{"get", "get_or_create_cart", "/cart", "", "create medium"},
		{"get", "findAndModify", "/x", "", "update medium"},
		{"get", "deleteuser", "/deleteuser", "", "delete high"},
		{"get", "", "/deleteuser", "", "delete high"},
		{"get", "", "/usersDelete", "", "delete high"},
		{"get", "usersDelete", "/users", "", "delete high"},
		{"get", "v2DeleteUser", "/users", "", "delete high"},
		{"get", "", "/v2DeleteUser", "", "delete high"},
		{"get", "evict", "/evict", "", "update medium"},
		{"get", "consumeMessage", "/messages", "", "update medium"},
		{"get", "", "/users/{id}", "Deletes a user", "delete high"},
		{"get", "", "/users/{id}", "This endpoint permanently deletes a user", "delete high"},
		{"get", "", "/cache", "Flush the cache", "update medium"},
		{"get", "", "/tyk/reload/group", "Will reload the cluster via the targeted gateway", "update medium"},
		{"get", "", "/refresh_token", "Refreshes your current, valid JWT token and returns a new token", "update medium"},
		{"get", "", "/api/rest/v1/sms/send-bulk", "send-bulk", "create medium"},
		{"head", "removeAlert", "/remove/alert/for/{thing}", "", "delete high"},
		// The same words where no verb stands, and names that only read.
		{"get", "", "/users/deleted", "", "read low"},
		{"get", "", "/posts/{id}/put-options", "", "read low"},
		{"get", "getCreateDate", "/files/{id}/created", "", "read low"},
		{"get", "list_created", "/files/created", "", "read low"},
		{"get", "Sites_GetDeletedSites", "/sites/deleted", "", "read low"},
		{"get", "UpdateLocations_List", "/updateLocations", "", "read low"},
		{"get", "UpdateSystem_GetCachedFiles", "/clients/{id}/cached", "", "read low"},
		{"get", "purchaseOrdersAll", "/accounting/purchase-orders", "List Purchase Orders", "read low"},
		{"get", "OrderAbandonedList", "/order.abandoned.list.json", "", "read low"},
		{"get", "GET_CreditMemos", "/v1/creditmemos", "List credit memos", "read low"},
		{"get", "GET_Refund", "/v1/refunds/{id}", "Retrieve a refund", "read low"},
		{"get", "Schedule", "/{format}/Schedule/{round}", "Schedule", "read low"},
		{"get", "repoGetArchive", "/repos/{owner}/archive/{archive}", "", "read low"},
		{"get", "pulls/check-if-merged", "/repos/{owner}/pulls/{n}/merge", "", "read low"},
		{"get", "GET_mail_settings-bounce_purge", "/mail_settings/bounce_purge",
			"Retrieve bounce purge mail settings", "read low"},
		{"get", "legacyCodePushAcquisition_updateCheck", "/legacy/updateCheck", "", "read low"},
		{"get", "EdgeSyncStatus", "/sync/status", "EDGE - Gets sync status", "read low"},
		{"get", "syncStatus", "/sync/status", "", "read low"},
		{"get", "autoComplete", "/search/auto-complete", "", "read low"},
		{"get", "frobnicate", "/frob", "", "read low"},
		{"get", "ClientApi_CanDelete", "/client/candelete", "", "read low"},
		{"get", "", "/network-services/{id}/cancellation-policy", "The cancellation-policy can be queried", "read low"},
		{"get", "", "/deletedusers", "", "read low"},
		{"get", "", "/auto-delete", "", "read low"},
		{"get", "storage.buckets.testIamPermissions", "/b/{bucket}/iam/testPermissions",
			"Tests a set of permissions on the bucket", "read low"},
		{"get", "", "/promotion_summary_report", "This method generates a report that summarizes promotions", "read low"},
		{"get", "users.delta", "/users/microsoft.graph.delta()", "Invoke function delta", "read low"},
		// Other methods: nothing lowers what another says.
		{"post", "delete_message", "/messages/search", "Search and delete a message", "delete high"},
		{"post", "delete_message", "/messages/update", "", "delete high"},
		{"post", "message", "/messages/{id}/delete", "Get a message", "delete high"},
		{"post", "ForceApproveTask", "/x", "", "update high"},
		{"post", "create", "/updates/{id}/destroy{ending}", "", "create high"},
		{"post", "search_and_delete", "/a/search", "Search things", "delete high"},
		{"post", "listReportsAndArchive", "/reports/list", "List reports and archive them", "create medium"},
		{"post", "queryPurge", "/query", "Query", "create high"},
		{"post", "searchUsers", "/users/search", "Search users", "read low"},
		{"post", "searchUsers", "/users/search", "Create a saved search", "create medium"},
		{"post", "assetReportFilter", "/asset_report/filter", "Filter Asset Report", "create medium"},
		{"post", "Accounts_ListKeys", "/accounts/{name}/listKeys", "Lists the keys", "read low"},
		// A POST that asks for something: name, path and text agree, and none speaks of a change.
		{"post", "accountsGet", "/accounts/get", "Retrieve accounts", "read low"},
		{"post", "accountsGet", "/accounts/get", "", "create medium"},
		{"post", "walletList", "/wallet/list", "Fetch a list of e-wallets", "read low"},
		{"post", "", "/getFile", "Use this method to get basic info about a file", "read low"},
		{"post", "", "/getMe", "A simple method for testing your token", "read low"},
		{"post", "", "/getUpdates", "Use this method to receive incoming updates", "create medium"},
		{"post", "DescribeTable", "/#X-Amz-Target=DynamoDB_20120810.DescribeTable", "Returns information about the table",
			"read low"},
		{"post", "getUser", "/users/{id}", "Get a user", "read low"},
		{"post", "users.getMemberGroups", "/users/{id}/microsoft.graph.getMemberGroups", "Invoke action getMemberGroups",
			"read low"},
		{"post", "assetReportGet", "/asset_report/get", "Retrieve an asset report", "read low"},
		{"post", "getReport", "/reports", "Get a report", "create medium"},
		{"post", "linkTokenGet", "/link/token/get", "Get a link token", "create medium"},
		{"post", "getUploadUrl", "/files/getUploadUrl", "Get a URL to upload to", "create medium"},
		{"post", "get_next_job", "/jobs/get_next", "Get the next job", "create medium"},
		{"post", "GetActivityTask", "/#X-Amz-Target=AWSStepFunctions.GetActivityTask",
			"Used by workers to retrieve a task which has been scheduled", "create medium"},
		{"post", "RetrieveTapeArchive", "/#X-Amz-Target=StorageGateway.RetrieveTapeArchive", "Retrieves an archived tape",
			"create medium"},
		{"post", "GetInstanceAccess", "/#X-Amz-Target=GameLift.GetInstanceAccess", "Requests remote access to an instance",
			"create medium"},
		{"post", "listItem", "/items/list", "List an item for sale", "create medium"},
		{"post", "listTokens", "/tokens/list", "Lists your tokens", "read low"},
		{"post", "ListResourceInventory", "/list", "Lists resources of the inventory", "read low"},
		{"post", "countFlowRuns", "/flow_runs/count", "Count Flow Runs", "read low"},
		{"post", "listCharges", "/charges/list", "List charges", "read low"},
		{"post", "listJobs", "/jobs/list", "List jobs and runs", "create medium"},
		{"post", "read_flows_flows_filter_post", "/flows/filter", "Read Flows", "read low"},
		{"post", "readFlow", "/flows/filter", "Filter flows", "create medium"},
		{"post", "createPaymentToken", "/payment/token/create", "Create a payment token", "create medium"},
		{"post", "priceList", "/price/list", "Create a price list", "create medium"},
		{"post", "getAndLock", "/jobs/getAndLock", "Get jobs", "create medium"},
		{"post", "readMessages", "/messages/read", "Read messages", "create medium"},
		{"post", "", "/messages/delete/list", "List messages", "create medium"},
		{"post", "transferEventSync", "/transfer/event/sync", "Sync transfer events", "update high"},
		{"post", "find_people", "/find_people", "Find people by uploading contacts", "create medium"},
		{"put", "getUser", "/users/{id}", "Get a user", "update medium"},
		{"delete", "getUser", "/users/{id}", "Get a user", "delete high"},
		// No method at all.
		{"", "list_users", "", "", "read low"},
		{"", "checkout_cart", "", "", "update medium"},
		{"", "computers.reboot", "", "", "update high"},
		{"", "frobnicate", "", "", "update medium"},
		{"", "slack_delete_message", "", "", "update high"},
		{"", "", "", "", "update medium"},
	} {
		h := Hints{Method: c.method, Path: c.path, Text: c.text}
		if c.name != "" {
			h.Names = []string{c.name}
		}
		got := Infer(h)
		if text := fmt.Sprint(got.Operation, " ", got.Risk); text != c.want || got.Mutates != (c.want != "read low") {
			t.Errorf("%s %q %s %q: got %s, mutates %v, want %s", c.method, c.name, c.path, c.text, text, got.Mutates, c.want)
		}
	}
}

// Values of an Action parameter decide alone where there is one, and count with the name where there are several.
func TestCommands(t *testing.T) {
	for _, c := range []struct {
		name     string
		commands []string
		want     string
	}{
		{"getThing", []string{"DeleteThing"}, "delete high"},
		{"thing", []string{"DescribeThing"}, "read low"},
		{"vm", []string{"status", "stop"}, "update medium"},
		{"searchProjects", []string{"view", "browse", "edit"}, "read low"},
		{"vm", []string{"flickr.photos.delete"}, "delete high"},
	} {
		got := Infer(Hints{Method: "GET", Names: []string{c.name}, Commands: c.commands})
		if text := fmt.Sprint(got.Operation, " ", got.Risk); text != c.want {
			t.Errorf("%s %q: got %s, want %s", c.name, c.commands, text, c.want)
		}
	}
}

// A parameter that says what is done and takes any text may say anything, unless the name or the text reads.
func TestFreeCommands(t *testing.T) {
	for _, c := range []struct {
		name, text string
		mutates    bool
	}{
		{"pod", "", true},
		{"pod", "Perform action on a specific pod", true},
		{"pod", "Deployments of an application", true},
		{"getPod", "", false},
		{"pod", "Lists the pods by action", false},
	} {
		if got := Infer(Hints{Method: "GET", Names: []string{c.name}, Path: "/pods/{id}/{action}", Text: c.text,
			Free: true}); got.Mutates != c.mutates {
			t.Errorf("%s, %q: mutates %v", c.name, c.text, got.Mutates)
		}
	}
}

// A promise to read is believed unless a name says otherwise without doubt.
func TestReadOnly(t *testing.T) {
	for name, want := range map[string]bool{
		"snapshot": false, "run_query": false, "start_trace": false, "update_check": false,
		"delete_message": true, "issues.create": true,
	} {
		if got := Infer(Hints{ReadOnly: true, Names: []string{name}, Text: "Create a picture of it"}); got.Mutates != want {
			t.Errorf("%s: mutates %v, want %v", name, got.Mutates, want)
		}
	}
}

// The summary reads, and the description goes on to say what the call does.
func TestMore(t *testing.T) {
	h := Hints{Method: "POST", Names: []string{"answersRetrieve"}, Path: "/answers/{id}/retrieve", Text: "Retrieve all"}
	if Infer(h).Mutates {
		t.Error("without more it is no read")
	}
	h.More = "Starts a job. Deletes the query afterwards."
	if !Infer(h).Mutates {
		t.Error("a read, though it deletes")
	}
	h = Hints{Method: "POST", Names: []string{"searchContacts"}, Path: "/contacts/search", Text: "Search contacts",
		More: "This will accept a filter. Configure the size of a page."}
	if Infer(h).Mutates {
		t.Error("no read, though name, path and text search")
	}
	h.More = "This will create a search."
	if !Infer(h).Mutates {
		t.Error("a read, though it creates")
	}
}

func TestTerms(t *testing.T) {
	for name, want := range map[string]string{
		"日本語ツール": "日本語ツール", "get日本語": "get日本語", "получитьФото": "получить фото", "Straße": "strasse",
		"Łódź-list": "lodz list", "ค้นหา": "ค้นหา", "사용자_목록": "사용자 목록", "créer": "creer", "ﬁnd２": "find2",
		"delet\u0435": "delet \u0435", "\u0435xport": "\u0435 xport", "a—b’s": "a bs", "\u202egniht": "gniht", "💥": "",
	} {
		if got := strings.Join(Terms(name), " "); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// FuzzInfer: an effect is whole and consistent, methods that are meant to change something stay mutations, and the
// command to delete is never taken for a read.
func FuzzInfer(f *testing.F) {
	f.Add("get", "GET_TerminateInstances", "/#Action=TerminateInstances", "Shuts down instances")
	f.Add("post", "searchUsers", "/users/{id}:search", "Search users")
	f.Add("", "a_", "{}?action=", "s")
	f.Fuzz(func(t *testing.T, method, name, path, text string) {
		h := Hints{Method: method, Names: []string{name, ""}, Path: path, Text: text}
		e := Infer(h)
		if e.Operation == "" || e.Risk == "" || e.Mutates == (e.Operation == "read") || !e.Mutates && e.Risk != "low" {
			t.Errorf("%+v: got %+v", h, e)
		}
		for _, method := range []string{"PUT", "DELETE"} {
			h.Method = method
			if !Infer(h).Mutates {
				t.Errorf("%+v is a read", h)
			}
		}
		h.Method, h.Path, h.Commands = "GET", "/", []string{"DeleteThing"}
		if got := Infer(h); !got.Mutates || got.Risk != "high" {
			t.Errorf("%+v: got %+v", h, got)
		}
	})
}

// A long word takes no longer than as many short ones: a description may be anything.
func BenchmarkLongWord(b *testing.B) {
	for name, text := range map[string]string{
		"one word": strings.Repeat("x", 1<<20), "words": strings.Repeat("xxxx ", 1<<20/5),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Terms(text)
			}
		})
	}
}
