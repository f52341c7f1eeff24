package awstest

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestVectors checks the calculation against requests that AWS's documentation shows with their signatures.
func TestVectors(t *testing.T) {
	iam := Account{ID: "AKIDEXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", Region: "us-east-1",
		Service: "iam"}
	s3 := Account{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", Region: "us-east-1",
		Service: "s3"}
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, one := range map[string]struct {
		account Account
		request string
	}{
		"list users": {iam, `GET /?Action=ListUsers&Version=2010-05-08 HTTP/1.1
Host: iam.amazonaws.com
Content-Type: application/x-www-form-urlencoded; charset=utf-8
X-Amz-Date: 20150830T123600Z
Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ` +
			`SignedHeaders=content-type;host;x-amz-date, ` +
			`Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7

`},
		"get object": {s3, `GET /test.txt HTTP/1.1
Host: examplebucket.s3.amazonaws.com
Range: bytes=0-9
X-Amz-Content-Sha256: ` + empty + `
X-Amz-Date: 20130524T000000Z
Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,` +
			`SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,` +
			`Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41

`},
		"put object": {s3, `PUT /test%24file.text HTTP/1.1
Host: examplebucket.s3.amazonaws.com
Content-Length: 21
Date: Fri, 24 May 2013 00:00:00 GMT
X-Amz-Date: 20130524T000000Z
X-Amz-Storage-Class: REDUCED_REDUNDANCY
X-Amz-Content-Sha256: 44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072
Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,` +
			`SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,` +
			`Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd

Welcome to Amazon S3.`},
		"list objects": {s3, `GET /?max-keys=2&prefix=J HTTP/1.1
Host: examplebucket.s3.amazonaws.com
X-Amz-Date: 20130524T000000Z
X-Amz-Content-Sha256: ` + empty + `
Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,` +
			`SignedHeaders=host;x-amz-content-sha256;x-amz-date,` +
			`Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7

`},
	} {
		t.Run(name, func(t *testing.T) {
			verify := func(text string, a Account) error {
				r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n"))))
				if err != nil {
					t.Fatal(err)
				}
				at, err := time.Parse(timeForm, r.Header.Get("X-Amz-Date"))
				if err != nil {
					t.Fatal(err)
				}
				return a.Verify(r, at.Add(time.Minute))
			}
			if err := verify(one.request, one.account); err != nil {
				t.Error(err)
			}
			other := one.account
			other.Secret += "x"
			for what, err := range map[string]error{
				"another secret": verify(one.request, other),
				"another path":   verify(strings.Replace(one.request, " /", " /x", 1), one.account),
				"another header": verify(strings.Replace(one.request, "Host: ", "Host: x", 1), one.account),
			} {
				if err == nil || !strings.Contains(err.Error(), "does not match") {
					t.Errorf("%s: got %v", what, err)
				}
			}
		})
	}
}
