package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// This file is the name of a Git repository, as its files have it.

// repository names the repository of a work tree, in all of its clones and work trees: the last part of the address of
// its remote "origin", or of the only one there is, else the folder that it was made in. Empty where it cannot be told.
func repository(root string) string {
	if root == "" {
		return ""
	}
	dir := filepath.Join(root, ".git")
	if link, err := os.ReadFile(dir); err == nil { // of a further work tree, or a submodule
		to, is := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: ")
		if !is {
			return ""
		}
		dir = from(root, to)
		if common, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
			dir = from(dir, strings.TrimSpace(string(common)))
		}
	}
	config, err := os.ReadFile(filepath.Join(dir, "config"))
	if err != nil {
		return ""
	}
	if remote := remoteOf(config); remote != "" {
		return repositoryName(remote)
	}
	if filepath.Base(dir) == ".git" {
		dir = filepath.Dir(dir)
	}
	return repositoryName(filepath.ToSlash(dir))
}

// from is a path as one of dir.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// remoteOf is the address of "origin", or of the only remote; empty without one.
func remoteOf(config []byte) string {
	section := regexp.MustCompile(`^\[\s*([A-Za-z0-9.-]+)\s*(?:"(.*)")?\s*\]`)
	urls := map[string]string{}
	remote := ""
	lines := bufio.NewScanner(bytes.NewReader(config))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if m := section.FindStringSubmatch(line); m != nil {
			remote = ""
			if strings.EqualFold(m[1], "remote") {
				remote = m[2]
			}
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if remote != "" && urls[remote] == "" && strings.EqualFold(strings.TrimSpace(key), "url") {
			urls[remote] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	if len(urls) == 1 {
		for _, url := range urls {
			return url
		}
	}
	return urls["origin"]
}

// repositoryName is the last part of an address, which has no credentials: "shop" of git@example.com:acme/Shop.git.
func repositoryName(address string) string {
	address, _, _ = strings.Cut(address, "?")
	address = strings.TrimSuffix(strings.TrimRight(address, "/\\"), "/.git")
	name := address[strings.LastIndexAny(address, "/\\:@")+1:]
	return strings.ToLower(strings.TrimSuffix(name, ".git"))
}
