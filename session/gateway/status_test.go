package gateway

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
)

// watchedBench is a gateway with a status page, whose client has made some calls.
func watchedBench(t *testing.T, roster Roster) string {
	t.Helper()
	b := newBench(t, Options{Status: true, Policy: Policy{Mode: policy.Session}})
	url := serveHTTP(t, b, HTTPOptions{Roster: roster, Sources: func() []Source {
		return []Source{
			{Name: "shop", State: "ready", Actions: 1234},
			{Name: "<img src=x onerror=alert(1)>", State: "failed", Error: `<script>document.title="stolen"</script>`},
		}
	}})
	cs, err := dialHTTP(t, url, tokenA, nil)
	if err != nil {
		t.Fatal(err)
	}
	call(t, cs, "execute", script(`for i = 1, 3 do shop.price{id="x"} end return shop.buy{id="y"}`,
		"shop.price", "shop.buy"))
	call(t, cs, "execute", script(`return office.close{}`, "office.close"))
	call(t, cs, "execute", script(`call("<b>bold</b>", {})`))
	return strings.TrimSuffix(url, Path) + StatusPath
}

func monitorRoster(t *testing.T) Roster {
	return Roster{Clients: []Client{
		with(t, tokenA, Client{Name: "a<i>", Monitor: true, Rules: catalog.Rules{Actor: "ann"}}),
		with(t, tokenB, Client{Name: "b"}),
	}}
}

// The page shows what there is, to those who may see it, and whatever it shows is text.
func TestStatus(t *testing.T) {
	url := watchedBench(t, monitorRoster(t))
	if status, _, _ := look(t, url, "", false); status != 401 {
		t.Error(status)
	}
	if status, body, _ := look(t, url, tokenB, true); status != 403 || strings.Contains(body, "shop") {
		t.Error(status, body)
	}
	status, body, header := look(t, url, tokenA, true)
	if status != 200 || header.Get("Cache-Control") != "no-store" ||
		!strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'; style-src") {
		t.Error(status, header)
	}
	rows := regexp.MustCompile(`\s*<[^>]*>\s*`).ReplaceAllString(body, " ")
	rows = strings.Join(strings.Fields(rows), " ")
	for _, want := range []string{
		"shop ready 1,234", "&lt;img src=x onerror=alert(1)&gt; failed 0", "a&lt;i&gt; 1 of", "b 0 of",
		"a&lt;i&gt; (ann) office.close denied", "a&lt;i&gt; (ann) &lt;b&gt;bold&lt;/b&gt; rejected",
		"each of the 5 actions as a tool",
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in %s", want, rows)
		}
	}
	for _, bad := range []string{"<script", "<img", "<b>", "http://", "https://", "src="} {
		if strings.Contains(strings.ReplaceAll(body, "&lt;img src=x", ""), bad) {
			t.Errorf("%s in the page", bad)
		}
	}
	if status, _, _ := look(t, strings.TrimSuffix(serveHTTP(t, newBench(t, Options{}), HTTPOptions{Roster: anyone}), Path)+
		StatusPath, "", false); status != 404 {
		t.Error(status)
	}
}

// A browser shows the page, and runs nothing that is in it.
func TestStatusInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("SKIPPED: there is no chromium here")
	}
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	url := watchedBench(t, anyone)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+dir, "--window-size=1200,1000", "--virtual-time-budget=2000",
		"--dump-dom", url)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("SKIPPED: %s does not start here: %v", browser, err)
	}
	page := string(out)
	for _, want := range []string{"<title>Almanac</title>", `<td>shop</td><td>ready</td><td class="n">1,234</td>`,
		"&lt;script&gt;document.title=", "<td>office.close</td>", `<td class="bad">denied</td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if strings.Contains(page, "<img") || strings.Contains(page, "<script") {
		t.Error("what others wrote is part of the page")
	}
}
