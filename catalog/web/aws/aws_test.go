package aws

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"almanac/internal/awstest"
)

// TestSign signs requests that AWS's documentation shows with their signatures.
func TestSign(t *testing.T) {
	k := Keys{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for address, want := range map[string]string{
		"test.txt":              "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
		"?lifecycle":            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
		"?max-keys=2&prefix=J":  "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
		"?prefix=J&max-keys=2&": "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
	} {
		req, err := http.NewRequest(http.MethodGet, "https://examplebucket.s3.amazonaws.com/"+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if address == "test.txt" {
			req.Header.Set("Range", "bytes=0-9")
		}
		for range 2 { // the second takes the place of the first
			if err := (Signer{}).Sign(req, nil, k, "", at); err != nil {
				t.Fatal(err)
			}
			if got := Signature(req); got != want {
				t.Errorf("%s: got %s", address, got)
			}
		}
	}
}

// TestOdd signs what encodings could spoil, and has it calculated once more.
func TestOdd(t *testing.T) {
	k := Keys{ID: "AKID", Secret: "secret", Token: "session"}
	for _, service := range []string{"execute-api", "s3"} {
		for _, address := range []string{"", "/", "/a%2Fb/c%20d/e+f", "/ä/~x/(1)*", "/x?a=1;b=2&c",
			"/x?q=a+b&q=%2B&Q=&q=a%20a", "/x?filter%5Bx%5D=1&a-b=1&a=2&a=1", "//x/../y"} {
			req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+address, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Amz-Meta", " a   b ")
			if err := (Signer{"eu-west-1", service}).Sign(req, []byte("{}"), k, "", time.Now()); err != nil {
				t.Fatal(err)
			}
			account := awstest.Account{ID: k.ID, Secret: k.Secret, Token: k.Token, Region: "eu-west-1", Service: service}
			if req.Host == "" {
				req.Host = req.URL.Host
			}
			if err := account.Verify(req, time.Now()); err != nil {
				t.Errorf("%s %s: %v", service, address, err)
			}
		}
	}
}

// TestPlace: the names of servers say what they are; others need not.
func TestPlace(t *testing.T) {
	for host, want := range map[string]string{
		"abc.execute-api.eu-west-1.amazonaws.com":        "eu-west-1 execute-api",
		"ec2.us-gov-east-1.amazonaws.com":                "us-gov-east-1 ec2",
		"ec2.cn-north-1.amazonaws.com.cn":                "cn-north-1 ec2",
		"iam.amazonaws.com":                              "us-east-1 iam",
		"bucket.s3.amazonaws.com":                        "us-east-1 s3",
		"bucket.s3.dualstack.eu-central-1.amazonaws.com": "eu-central-1 s3",
		"search-x.eu-west-1.es.amazonaws.com":            "eu-west-1 es",
		"x.appsync-api.eu-west-1.amazonaws.com":          "eu-west-1 appsync",
		"bedrock-runtime.us-east-1.amazonaws.com":        "us-east-1 bedrock",
		"id.lambda-url.ap-southeast-2.on.aws":            "ap-southeast-2 lambda",
		"api.example.com":                                " ",
		"amazonaws.com":                                  " ",
		"127.0.0.1":                                      " ",
	} {
		region, service := place(host)
		if got := region + " " + service; got != want {
			t.Errorf("%s: got %q, want %q", host, got, want)
		}
	}
	req, _ := http.NewRequest(http.MethodGet, "https://api.example.com/", nil)
	err := Signer{Service: "execute-api"}.Sign(req, nil, Keys{ID: "a", Secret: "b"}, "", time.Now())
	if err == nil || !strings.Contains(err.Error(), "api.example.com does not say which region and service it is of") {
		t.Errorf("got %v", err)
	}
	err = Signer{Service: "execute-api"}.Sign(req, nil, Keys{ID: "a", Secret: "b"}, "eu-west-1", time.Now())
	if err != nil {
		t.Error(err)
	}
}

const credentials = `# mine
[default]
aws_access_key_id = AKID1
aws_secret_access_key=secret-1
[ prod ]
aws_access_key_id=AKID2
aws_secret_access_key = secret/2=  # of the team
aws_session_token = token-2
s3 =
  aws_access_key_id = nested
[half]
aws_access_key_id = AKID3
`

const config = `[default]
region = eu-west-1
[profile prod]
region = us-east-2
aws_secret_access_key = of-config
[profile printed]
credential_process = cat "DIR/printed.json"
[profile ended]
credential_process = cat DIR/ended.json
[profile loud]
credential_process = echo 'no secret-5'; echo why >&2; exit 3
[profile signs-in]
sso_session = company
`

// TestChain finds keys as AWS's programs do.
func TestChain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the profiles are those of Unix")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"credentials": credentials, "config": strings.ReplaceAll(config, "DIR", dir),
		"printed.json": `{"Version": 1, "AccessKeyId": "AKID4", "SecretAccessKey": "secret-4", "SessionToken": "token-4",
			"Expiration": "2999-01-02T03:04:05Z"}`,
		"ended.json": `{"Version": 1, "AccessKeyId": "AKID4", "SecretAccessKey": "secret-4",
			"Expiration": "2001-01-02T03:04:05Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own := map[string]string{"AWS_ACCESS_KEY_ID": "AKID0", "AWS_SECRET_ACCESS_KEY": "secret-0",
		"AWS_SESSION_TOKEN": "token-0", "AWS_REGION": "sa-east-1"}
	for _, c := range []struct {
		name, profile string
		command       []string
		env           map[string]string
		want          string // or a part of the error
	}{
		{name: "the profile default", want: "AKID1 secret-1  eu-west-1"},
		{name: "the environment", env: own, want: "AKID0 secret-0 token-0 sa-east-1"},
		{name: "half an environment", env: map[string]string{"AWS_ACCESS_KEY_ID": "AKID0"},
			want: "AWS_SECRET_ACCESS_KEY is not"},
		{name: "a profile goes before the environment", profile: "prod", env: own,
			want: "AKID2 secret/2= token-2 us-east-2"},
		{name: "AWS_PROFILE", env: map[string]string{"AWS_PROFILE": "prod"}, want: "AKID2 secret/2= token-2 us-east-2"},
		{name: "a program of a profile", profile: "printed", want: "AKID4 secret-4 token-4 "},
		{name: "a program", command: []string{"cat", filepath.Join(dir, "printed.json")}, env: own,
			want: "AKID4 secret-4 token-4 sa-east-1"},
		{name: "no such profile", profile: "prud", want: "aws: no profile prud in " + filepath.Join(dir, "credentials")},
		{name: "half a profile", profile: "half", want: "profile half has no keys of its own"},
		{name: "a profile that signs in", profile: "signs-in",
			want: `set command = ["aws", "configure", "export-credentials", "--profile", "signs-in"]`},
		{name: "keys that have ended", profile: "ended", want: "the keys that it prints have ended"},
		{name: "a program that fails", profile: "loud", want: "the program for keys failed: sh: exit status 3: why"},
		{name: "a program that prints something else", command: []string{"echo", "secret-5"}, want: "want it to print JSON"},
		{name: "no files", env: map[string]string{"AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"},
			want: "aws: no keys: set AWS_ACCESS_KEY_ID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := Chain{Profile: c.profile, Command: c.command, Getenv: func(name string) string {
				if value, ok := c.env[name]; ok {
					return value
				}
				return map[string]string{"AWS_CONFIG_FILE": filepath.Join(dir, "config"),
					"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials")}[name]
			}}
			k, err := chain.Keys()
			got := strings.Join([]string{k.ID, k.Secret, k.Token, chain.Region()}, " ")
			if err != nil {
				got = err.Error()
			}
			if got != c.want && (err == nil || !strings.Contains(got, c.want)) || strings.Contains(got, "secret-5") {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestRunAgain: a program runs again when its keys end, and not before.
func TestRunAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program of Unix")
	}
	dir := t.TempDir()
	count, until := filepath.Join(dir, "count"), filepath.Join(dir, "until")
	line := `echo >>` + count + `; echo "{\"Version\": 1, \"AccessKeyId\": \"a\", \"SecretAccessKey\": \"b\", ` +
		`\"Expiration\": \"$(cat ` + until + `)\"}"`
	chain := Chain{Command: []string{"sh", "-c", line}}
	for _, c := range []struct {
		holds time.Duration
		runs  int
	}{{time.Minute, 1}, {time.Hour, 2}, {time.Second, 2}} {
		if err := os.WriteFile(until, []byte(time.Now().Add(c.holds).Format(time.RFC3339)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := chain.Keys(); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(count); len(text) != c.runs {
			t.Errorf("keys that hold for %v: %d runs, want %d", c.holds, len(text), c.runs)
		}
	}
}
