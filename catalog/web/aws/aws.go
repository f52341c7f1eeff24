// Package aws signs requests for AWS (Signature Version 4) and finds the keys to do so where AWS's own programs keep
// them.
//
//	Keys    a pair of keys, with the token of a session
//	Signer  whom and what requests are signed for: Sign
//	Chain   where keys are found: the environment, AWS's files, a program
//
// Only the signer is AWS's. The keys of a profile with sign-in or a role come from AWS's own program: such a profile
// fails with the line that has it called.
package aws

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Keys are what requests are signed with.
type Keys struct {
	ID, Secret string
	Token      string    // of a session; empty for keys that last
	Expires    time.Time // zero: they do not
	From       string    // where they were found, for people
}

// Variables are those of the environment that have keys, in the order of Keys.
func Variables() []string {
	return []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}
}

// A Signer says whom and what requests are signed for. The zero Signer takes both from the address of each request.
type Signer struct {
	// Region and Service are those of the server, as AWS names them: "eu-west-1", "execute-api".
	Region, Service string
}

// contentHash is the header with the hash of the body, which some services want and all accept.
const contentHash = "X-Amz-Content-Sha256"

// Headers are those that Sign writes: none of them may reach another server.
func Headers() []string {
	return []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token", contentHash}
}

// Sign signs a request as it is now, in place of an earlier signature; what changes afterwards, but for headers that
// are added, makes the signature invalid. body is what is sent; nil for none. It fails if the region or the service is
// neither named nor part of the address; fallback is the region where nothing else says it.
func (s Signer) Sign(req *http.Request, body []byte, k Keys, fallback string, now time.Time) error {
	region, service := place(req.URL.Hostname())
	region, service = cmp.Or(s.Region, region, fallback), cmp.Or(s.Service, service)
	if region == "" || service == "" {
		return errors.New("aws: " + req.URL.Hostname() + " does not say which region and service it is of: set region and " +
			"service in auth.aws of [sources.NAME]")
	}
	for _, name := range Headers() {
		req.Header.Del(name)
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	req.Header.Set(contentHash, hash)
	// As AWS reads it; the signer would drop a pair with a semicolon.
	req.URL.RawQuery = strings.NewReplacer(";", "%3B", "+", "%20").Replace(req.URL.RawQuery)
	signed := req.Clone(req.Context()) // the signer puts the values of a query in order
	keys := aws.Credentials{AccessKeyID: k.ID, SecretAccessKey: k.Secret, SessionToken: k.Token}
	err := v4.NewSigner().SignHTTP(req.Context(), keys, signed, hash, service, region, now, func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping = strings.HasPrefix(service, "s3")
	})
	req.Host, req.Header = signed.Host, signed.Header
	return err
}

// Signature is the signature that a request carries; empty for none. Whoever has it can repeat the request for a while.
func Signature(req *http.Request) string {
	_, signature, _ := strings.Cut(req.Header.Get("Authorization"), "Signature=")
	return signature
}

// place reads the region and the service from the name of a server of AWS; both are empty for other servers.
func place(host string) (region, service string) {
	host = strings.TrimSuffix(strings.ToLower(host), ".cn")
	if before, ok := strings.CutSuffix(host, ".on.aws"); ok { // ID.lambda-url.REGION.on.aws
		labels := strings.Split(before, ".")
		if len(labels) == 3 && labels[1] == "lambda-url" {
			return labels[2], "lambda"
		}
	}
	before, ok := strings.CutSuffix(host, ".amazonaws.com")
	if !ok || net.ParseIP(host) != nil {
		return "", ""
	}
	labels := strings.Split(strings.Replace(before, ".dualstack.", ".", 1), ".")
	last := len(labels) - 1
	switch {
	case last > 0 && isRegion(labels[last]):
		region, service = labels[last], labels[last-1] // ID.execute-api.REGION
	case last > 0 && isRegion(labels[last-1]):
		region, service = labels[last-1], labels[last] // NAME.REGION.es
	default:
		region, service = "us-east-1", labels[last] // iam, and buckets of s3
	}
	return region, signedAs(service)
}

// isRegion tells names such as eu-west-1 and us-gov-east-1.
func isRegion(label string) bool {
	parts := strings.Split(label, "-")
	return len(parts) >= 3 && len(parts[0]) == 2 && len(parts[len(parts)-1]) == 1 &&
		strings.Trim(parts[len(parts)-1], "123456789") == ""
}

// signedAs is the name that requests of a service are signed for, from that in the names of its servers.
func signedAs(label string) string {
	switch label {
	case "appsync-api", "appsync-realtime-api":
		return "appsync"
	case "bedrock-runtime", "bedrock-agent", "bedrock-agent-runtime":
		return "bedrock"
	case "email":
		return "ses"
	}
	return label
}
