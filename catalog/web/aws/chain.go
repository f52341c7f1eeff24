package aws

// This file finds keys where AWS's programs look for them.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"almanac/catalog/regular"
	"almanac/catalog/subprocess"
	"almanac/catalog/text"
)

// A Chain finds keys: with a Command as this prints them; else those of a Profile, if it names one; else those of the
// environment, and then those of AWS_PROFILE or the profile default. It is safe for concurrent use. Its fields must not
// be changed after the first use.
type Chain struct {
	// Getenv looks up a variable of the environment; nil has none.
	Getenv func(name string) string
	// Profile is one of the files ~/.aws/credentials and ~/.aws/config; may be empty.
	Profile string
	// Command is a program that prints keys as the credential_process of a profile does; nil for none.
	Command []string

	mu     sync.Mutex // held while a program runs
	ran    string     // the program, of which kept and failed are
	kept   Keys
	failed error
	at     time.Time // when it failed
}

const (
	// early is how long before their end keys are asked for anew.
	early = 2 * time.Minute
	// failedFor is how long a program that failed is not run again.
	failedFor = 10 * time.Second
	// maxFile bounds a file of profiles, in bytes.
	maxFile = 1 << 20
)

// Keys are those of now. The error says what to do and has no secret.
func (c *Chain) Keys() (Keys, error) {
	if len(c.Command) > 0 {
		return c.run(c.Command)
	}
	if id := c.getenv("AWS_ACCESS_KEY_ID"); c.Profile == "" && id != "" {
		k := Keys{ID: id, Secret: c.getenv("AWS_SECRET_ACCESS_KEY"), Token: c.getenv("AWS_SESSION_TOKEN"),
			From: "AWS_ACCESS_KEY_ID"}
		if k.Secret == "" {
			return Keys{}, errors.New("aws: AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not")
		}
		return k, nil
	}
	name, set, err := c.profile()
	if err != nil {
		return Keys{}, err
	}
	switch k := (Keys{ID: set["aws_access_key_id"], Secret: set["aws_secret_access_key"],
		Token: set["aws_session_token"], From: "profile " + name}); {
	case k.ID != "" && k.Secret != "":
		return k, nil
	case set["credential_process"] != "":
		return c.run(shell(set["credential_process"]))
	case set == nil && c.Profile == "" && c.getenv("AWS_PROFILE") == "":
		return Keys{}, errors.New("aws: no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or profile in auth.aws " +
			"of [sources.NAME]")
	case set == nil:
		return Keys{}, fmt.Errorf("aws: no profile %s in %s or %s", name, c.file("credentials"), c.file("config"))
	}
	return Keys{}, fmt.Errorf("aws: profile %s has no keys of its own: if it signs in or takes a role, set command = "+
		"[\"aws\", \"configure\", \"export-credentials\", \"--profile\", %q] in auth.aws of [sources.NAME]", name, name)
}

// Region is the one of the environment, or of the profile; empty for none.
func (c *Chain) Region() string {
	region := cmp.Or(c.getenv("AWS_REGION"), c.getenv("AWS_DEFAULT_REGION"))
	if region == "" || c.Profile != "" {
		if _, set, err := c.profile(); err == nil && set["region"] != "" {
			region = set["region"]
		}
	}
	return region
}

func (c *Chain) getenv(name string) string {
	if c.Getenv == nil {
		return ""
	}
	return c.Getenv(name)
}

// shell is a line as a command.
func shell(line string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd.exe", "/C", line}
	}
	return []string{"sh", "-c", line}
}

// run is what a program prints, until those keys end. They are its environment's own business: it gets PATH and HOME.
func (c *Chain) run(command []string) (Keys, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line := strings.Join(command, "\x00"); line != c.ran {
		c.ran, c.kept, c.failed = line, Keys{}, nil
	}
	switch now := time.Now(); {
	case c.kept.ID != "" && (c.kept.Expires.IsZero() || now.Before(c.kept.Expires.Add(-early))):
		return c.kept, nil
	case c.failed != nil && now.Before(c.at.Add(failedFor)):
		return Keys{}, c.failed
	}
	k, err := printed(command)
	c.kept, c.failed, c.at = k, err, time.Now()
	return k, err
}

// printed runs a program that prints keys as JSON.
func printed(command []string) (Keys, error) {
	out, err := subprocess.Output(context.Background(), command)
	if err != nil {
		return Keys{}, fmt.Errorf("aws: the program for keys failed: %w", err)
	}
	var said struct {
		Version                                    int
		AccessKeyId, SecretAccessKey, SessionToken string
		Expiration                                 time.Time
	}
	err = json.Unmarshal([]byte(out), &said)
	k := Keys{said.AccessKeyId, said.SecretAccessKey, said.SessionToken, said.Expiration, command[0]}
	switch {
	case err != nil || said.Version != 1 || k.ID == "" || k.Secret == "":
		return Keys{}, fmt.Errorf("aws: %s: want it to print JSON with Version 1, AccessKeyId and SecretAccessKey, as "+
			"aws configure export-credentials does", command[0])
	case !k.Expires.IsZero() && time.Now().After(k.Expires):
		return Keys{}, fmt.Errorf("aws: %s: the keys that it prints have ended: sign in again", command[0])
	}
	return k, nil
}

// file is one of the files of profiles.
func (c *Chain) file(name string) string {
	variable := map[string]string{"credentials": "AWS_SHARED_CREDENTIALS_FILE", "config": "AWS_CONFIG_FILE"}[name]
	if path := c.getenv(variable); path != "" {
		return path
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".aws", name)
}

// profile is what both files say of the profile, that of credentials first; nil where neither has it.
func (c *Chain) profile() (name string, set map[string]string, err error) {
	name = cmp.Or(c.Profile, c.getenv("AWS_PROFILE"), "default")
	for _, file := range []string{"config", "credentials"} {
		raw, err := regular.Read(c.file(file), maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return name, nil, fmt.Errorf("aws: %w", err)
		}
		section := name
		if file == "config" && name != "default" {
			section = "profile " + name
		}
		for key, value := range readProfile(string(raw), section) {
			if set == nil {
				set = map[string]string{}
			}
			set[key] = value
		}
	}
	return text.LineBytes(name, 80), set, nil
}

// readProfile reads a section of a file of profiles. Indented lines belong to the key above them, which is none of
// ours.
func readProfile(file, section string) map[string]string {
	set, in := map[string]string{}, false
	for line := range strings.Lines(file) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case line == "" || strings.ContainsAny(line[:1], "#; \t"):
		case line[0] == '[':
			title, _, _ := strings.Cut(line[1:], "]")
			in = strings.Join(strings.Fields(title), " ") == section
		case in:
			key, value, _ := strings.Cut(line, "=")
			value, _, _ = strings.Cut(value, " #")
			set[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return set
}
