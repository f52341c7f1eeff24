// Package awstest is a server for tests that takes requests signed for AWS, and calculates their signatures by itself,
// as AWS describes Signature Version 4.
package awstest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// An Account is whose signatures are right, for one service in one region. Token is empty for keys that last.
type Account struct{ ID, Secret, Token, Region, Service string }

// timeForm is how AWS writes a time.
const timeForm = "20060102T150405Z"

// skew is how old a signature may be, or how far ahead.
const skew = 5 * time.Minute

// Verify says what is wrong with the signature of a request at the time now. It reads the body and puts it back.
func (a Account) Verify(r *http.Request, now time.Time) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	scope, names, signature, err := parse(r.Header.Get("Authorization"))
	if err != nil {
		return err
	}
	at, err := time.Parse(timeForm, r.Header.Get("X-Amz-Date"))
	if err != nil || now.Sub(at).Abs() > skew {
		return errors.New("signature expired")
	}
	want := strings.Join([]string{at.Format("20060102"), a.Region, a.Service, "aws4_request"}, "/")
	if scope != a.ID+"/"+want {
		return fmt.Errorf("credential should be scoped to %s, got %s", want, scope)
	}
	for name := range r.Header {
		low := strings.ToLower(name)
		if (strings.HasPrefix(low, "x-amz-") || low == "content-type") && !slices.Contains(names, low) {
			return fmt.Errorf("%s is not signed", low)
		}
	}
	if !slices.Contains(names, "host") || r.Header.Get("X-Amz-Security-Token") != a.Token {
		return errors.New("the security token included in the request is invalid")
	}
	hash := hex.EncodeToString(sum(body))
	if said := r.Header.Get("X-Amz-Content-Sha256"); said != "" && said != hash {
		return errors.New("the provided 'x-amz-content-sha256' header does not match what was computed")
	}
	canonical := strings.Join([]string{r.Method, a.path(r.URL), query(r.URL.RawQuery), headers(r, names),
		strings.Join(names, ";"), hash}, "\n")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", at.Format(timeForm), want,
		hex.EncodeToString(sum([]byte(canonical)))}, "\n")
	key := []byte("AWS4" + a.Secret)
	for _, part := range strings.Split(want, "/") {
		key = mac(key, part)
	}
	if !hmac.Equal([]byte(hex.EncodeToString(mac(key, text))), []byte(signature)) {
		return errors.New("the request signature we calculated does not match the signature you provided")
	}
	return nil
}

func sum(text []byte) []byte {
	s := sha256.Sum256(text)
	return s[:]
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// parse reads the header Authorization.
func parse(header string) (scope string, names []string, signature string, err error) {
	rest, ok := strings.CutPrefix(header, "AWS4-HMAC-SHA256 ")
	if !ok {
		return "", nil, "", errors.New("missing authentication token")
	}
	for _, part := range strings.Split(rest, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "Credential":
			scope = value
		case "SignedHeaders":
			names = strings.Split(value, ";")
		case "Signature":
			signature = value
		}
	}
	return scope, names, signature, nil
}

// encoded is a text as AWS encodes it: all but letters, digits and -._~.
func encoded(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// path is the path as it was sent, whose segments all services but S3 encode once more.
func (a Account) path(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		return "/"
	}
	if a.Service == "s3" {
		return path
	}
	segments := strings.Split(path, "/")
	for i := range segments {
		segments[i] = encoded(segments[i])
	}
	return strings.Join(segments, "/")
}

// query is the query in the order of its names, and of their values.
func query(raw string) string {
	var all []string
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		decode := func(s string) string {
			plain, err := url.PathUnescape(s)
			if err != nil {
				return s
			}
			return encoded(plain)
		}
		all = append(all, decode(name)+"="+decode(value))
	}
	slices.SortFunc(all, func(x, y string) int {
		x, y = strings.Replace(x, "=", "\x00", 1), strings.Replace(y, "=", "\x00", 1)
		return strings.Compare(x, y)
	})
	return strings.Join(all, "&")
}

// headers are those that were signed, each a line, and an empty line behind them.
func headers(r *http.Request, names []string) string {
	var b strings.Builder
	for _, name := range names {
		values := slices.Clone(r.Header.Values(name))
		switch name {
		case "host":
			values = []string{r.Host}
		case "content-length":
			values = []string{strconv.FormatInt(r.ContentLength, 10)}
		}
		for i, v := range values {
			values[i] = strings.Join(strings.Fields(v), " ")
		}
		b.WriteString(name + ":" + strings.Join(values, ",") + "\n")
	}
	return b.String()
}

// A Server takes signed requests and counts those that it took.
type Server struct {
	*httptest.Server

	mu      sync.Mutex
	account Account
	taken   int
	refused int
}

// New starts a server whose requests must be signed by the account; next answers those that are. Others are refused as
// AWS does.
func New(a Account, next http.Handler) *Server {
	s := &Server{account: a}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		err := s.account.Verify(r, time.Now())
		if err == nil {
			s.taken++
		} else {
			s.refused++
		}
		s.mu.Unlock()
		if err != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_ = json.NewEncoder(w).Encode(map[string]string{"message": err.Error()})
			return
		}
		next.ServeHTTP(w, r)
	}))
	return s
}

// Change makes another account's signatures right.
func (s *Server) Change(a Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account = a
}

// Count is how many requests were taken and how many refused.
func (s *Server) Count() (taken, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken, s.refused
}
