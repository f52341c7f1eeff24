// This file checks what almanac serve needs, with the flags that it is to be started with: for almanac doctor serve.

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"almanac/catalog/text"
	"almanac/session/gateway"
	"almanac/session/gateway/audit"
	"almanac/session/gateway/oauth"
	"almanac/session/gateway/telemetry"
)

// doctorServe has the flags of almanac serve.
type doctorServe struct {
	serveCommand `embed:""`
}

const (
	// serveCheckTime bounds what is asked of an issuer, of collectors and of a program at the address.
	serveCheckTime = 5 * time.Second
	// soonOver is how long before its end a certificate or a token is told.
	soonOver = 14 * 24 * time.Hour
)

// Run reports what the doctor does, and on what the flags name.
func (c doctorServe) Run(ctx context.Context, cli *commandLine, p *program) error {
	if err := c.bounded(); err != nil {
		return err
	}
	return cli.Doctor.report(ctx, cli, p, func(ctx context.Context, f *catalogUpdater) []check {
		ctx, cancel := context.WithTimeout(ctx, serveCheckTime)
		defer cancel()
		return c.checks(ctx, cli, f)
	})
}

// checks looks at what the flags name. Issuer and collectors are asked side by side.
func (c doctorServe) checks(ctx context.Context, cli *commandLine, f *catalogUpdater) []check {
	roster, err := c.roster(cli)
	checks := c.checkClients(cli, f, roster, err)
	var issuer, collectors []check
	var asking sync.WaitGroup
	if roster.OAuth != nil {
		asking.Go(func() { issuer = []check{checkIssuer(ctx, *roster.OAuth)} })
	}
	asking.Go(func() { collectors = checkCollectors(ctx) })
	asking.Wait()
	checks = append(checks, issuer...)
	if c.HTTP != "" {
		checks = append(checks, c.checkAddress(ctx))
	}
	if c.TLSCert != "" || c.TLSKey != "" {
		checks = append(checks, c.checkCertificate())
	}
	if c.Audit != "" {
		checks = append(checks, c.checkAudit())
	}
	if c.Metrics || c.Status {
		checks = append(checks, c.checkWatchers(roster))
	}
	return append(checks, collectors...)
}

// checkClients looks at who may connect, and at what they name of the catalog.
func (c doctorServe) checkClients(cli *commandLine, f *catalogUpdater, r gateway.Roster, err error) []check {
	if err == nil && c.HTTP != "" {
		if at, wrong := net.ResolveTCPAddr("tcp", address(c.HTTP)); wrong == nil { // else checkAddress tells it
			err = c.explained(r.Check(at.IP.IsLoopback()))
		}
	}
	if err != nil {
		return []check{{"serve clients", checkFailed, err.Error(), "see docs/gateway.md, Clients and their views"}}
	}
	ok := check{Name: "serve clients", State: checkOK, Text: text.Count(len(r.Clients), "client")}
	if c.Clients == "" {
		ok.Text = "whoever shows the token"
		if len(r.Clients[0].Tokens) == 0 {
			ok.Text = "whoever starts it"
			if c.HTTP != "" {
				ok.Text = "every program on this machine, without a token"
			}
		}
	}
	checks := []check{ok}
	for _, one := range r.Clients {
		checks = append(checks, checkTokens(one)...)
	}
	s := &served{cli: cli, feed: f, clients: r.Clients, expose: c.Expose}
	for _, err := range s.misfitting() {
		checks = append(checks, check{"serve clients", checkNote, err.Error(),
			"mend the name, or add the source that has it"})
	}
	return checks
}

// checkTokens tells of tokens that are over or soon will be. A client is lost when none of its tokens is good.
func checkTokens(c gateway.Client) (checks []check) {
	const remedy = "give it another token beside this one: [[client.NAME.tokens]]"
	name, good := "serve client "+c.Name, false
	for _, t := range c.Tokens {
		left := time.Until(t.Expires)
		switch {
		case t.Expires.IsZero() || left > soonOver:
			good = true
			continue
		case left <= 0:
			checks = append(checks, check{name, checkNote, "a token expired " + day(t.Expires), "take it out of the file"})
		default:
			good = true
			checks = append(checks, check{name, checkNote, "a token expires " + day(t.Expires), remedy})
		}
	}
	if len(c.Tokens) > 0 && !good && c.Access == nil {
		return []check{{name, checkFailed, "all its tokens have expired", remedy}}
	}
	return checks
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

func checkIssuer(ctx context.Context, o oauth.Options) check {
	c := check{Name: "serve issuer", State: checkFailed}
	v, err := oauth.New(o, nil)
	if err == nil {
		defer v.Close()
		defer context.AfterFunc(ctx, v.Close)() // it ends a request for keys, too
		var keys int
		if keys, err = v.Probe(ctx); err == nil {
			c.State, c.Text = checkOK, fmt.Sprintf("%s: %s for signatures", o.Issuer, text.Count(keys, "key"))
			return c
		}
	}
	c.Text = fmt.Sprintf("%s: %v", o.Issuer, err)
	c.Remedy = "check issuer and keys of [oauth], and that this machine reaches it: until then its tokens are refused"
	return c
}

// checkAddress tells whether the address is free. Where it is not, it may be the gateway itself that has it.
func (c doctorServe) checkAddress(ctx context.Context) check {
	at := address(c.HTTP)
	l, err := net.Listen("tcp", at)
	if err == nil {
		err = l.Close()
	}
	made := check{Name: "serve address", State: checkOK, Text: at + " is free"}
	switch {
	case err == nil:
	case errors.Is(err, syscall.EADDRINUSE) && c.isServed(ctx, at):
		made.State, made.Text = checkNote, at+" is taken, by what answers as a gateway does"
		made.Remedy = "fine if that is this very gateway; two cannot listen there"
	default:
		made.State, made.Text = checkFailed, err.Error()
		made.Remedy = "name another address with --http, or stop the program that listens there"
	}
	return made
}

// isServed tells that a gateway answers there. Whose certificate it has does not matter: nothing is told it.
func (c doctorServe) isServed(ctx context.Context, at string) bool {
	scheme := "http://"
	if c.TLSCert != "" {
		scheme = "https://"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+at+gateway.HealthPath, nil)
	if err != nil {
		return false
	}
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}}
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// checkCertificate looks at the certificate as clients will: its time and its names.
func (c doctorServe) checkCertificate() check {
	made := check{Name: "serve certificate", State: checkFailed, Remedy: "get a new one; a running gateway reads it again"}
	read, err := c.certificate()
	if err != nil {
		made.Text, made.Remedy = err.Error(), "--tls-cert is PEM with the chain, --tls-key the key of its first certificate"
		return made
	}
	leaf, err := x509.ParseCertificate(read.now.Load().Certificate[0])
	if err != nil {
		made.Text = err.Error()
		return made
	}
	for _, host := range c.Host {
		err = errors.Join(err, leaf.VerifyHostname(host))
	}
	names := slices.Clone(leaf.DNSNames)
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	made.Text = fmt.Sprintf("for %s, until %s", strings.Join(names, ", "), day(leaf.NotAfter))
	switch now := time.Now(); {
	case len(names) == 0:
		made.Text = "it has no name of a host: clients refuse it"
	case now.After(leaf.NotAfter):
		made.Text = "it expired " + day(leaf.NotAfter)
	case now.Before(leaf.NotBefore):
		made.Text = "it is not good before " + day(leaf.NotBefore)
	case err != nil:
		made.Text, made.Remedy = err.Error(), "get one for the names of --host"
	case isOpen(c.TLSKey):
		made.State, made.Text = checkNote, c.TLSKey+" can be read by others"
		made.Remedy = "chmod 600 " + c.TLSKey
	case leaf.NotAfter.Sub(now) < soonOver:
		made.State = checkNote
	default:
		made.State, made.Remedy = checkOK, ""
	}
	return made
}

// isOpen tells that others than the user, and its group, can read the file.
func isOpen(file string) bool {
	about, err := os.Stat(file)
	return runtime.GOOS != "windows" && err == nil && about.Mode()&0o004 != 0
}

func (c doctorServe) checkAudit() check {
	made := check{Name: "serve audit", State: checkOK}
	if c.Audit == "-" {
		made.Text = "standard output"
		if c.HTTP == "" {
			made.State, made.Text = checkFailed, "standard output carries the protocol"
			made.Remedy = "name a file, or serve with --http"
		}
		return made
	}
	path, err := filepath.Abs(c.Audit)
	if err == nil {
		err = audit.Check(path)
	}
	made.Text = path + ", writable"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		made.State, made.Text, made.Remedy = checkFailed, err.Error(), "make the folder"
	case err != nil:
		made.State, made.Text = checkFailed, err.Error()
		made.Remedy = "let the user that serves write there: no call begins that cannot be written"
	case isOpen(path):
		made.State, made.Text, made.Remedy = checkNote, path+" can be read by others", "chmod 600 "+path
	}
	return made
}

// checkWatchers tells whether somebody may see metrics and status page.
func (c doctorServe) checkWatchers(r gateway.Roster) check {
	made := check{Name: "serve metrics and status", State: checkFailed, Text: "they need --http",
		Remedy: "serve with --http"}
	if c.HTTP == "" {
		return made
	}
	var watchers []string
	for _, one := range r.Clients {
		if one.Monitor {
			watchers = append(watchers, one.Name)
		}
	}
	made.State, made.Remedy = checkOK, ""
	switch {
	case len(watchers) > 0:
		made.Text = "for " + strings.Join(watchers, ", ")
	case len(r.Clients) == 1 && len(r.Clients[0].Tokens) == 0 && r.Clients[0].Access == nil:
		made.Text = "for every program on this machine"
	default:
		made.State, made.Text = checkNote, "no client may see them"
		made.Remedy = "monitor = true in the table of a client"
	}
	return made
}

// checkCollectors asks the collectors of OpenTelemetry, where the environment names some.
func checkCollectors(ctx context.Context) (checks []check) {
	found := telemetry.Probe(ctx, telemetry.Options{Getenv: os.Getenv})
	for _, signal := range slices.Sorted(maps.Keys(found)) {
		made := check{Name: "serve OTLP " + signal, State: checkOK, Text: "the collector takes them"}
		if err := found[signal]; err != nil {
			made.State, made.Text = checkFailed, err.Error()
			made.Remedy = "check the variables OTEL_*, and that the collector runs: it is asked over http/protobuf"
		}
		checks = append(checks, made)
	}
	return checks
}
