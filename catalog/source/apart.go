package source

// This file keeps sources apart whose ids would begin alike.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog/secret"
	"almanac/catalog/verb"
)

// Apart gives a NAME= to each of the texts that has none and would be called as another is: that name and what tells
// them apart, the folder or the host that is nearest to the end of all of them, or else four letters that stand for the
// text. The names depend on which texts there are, not on their order. told says in a line for each such name who is
// called what.
func (ks Kinds) Apart(texts []string) (named, told []string) {
	named = slices.Clone(texts)
	groups, names := map[string][]int{}, []string{}
	taken := map[string]bool{}
	for i, text := range texts {
		ref, k := ks.Find(text)
		if taken[ref.Name] = true; ref.Name != "" || slices.Index(texts, text) < i {
			continue
		}
		if k != nil && k.Prefix == "" && k.TopKeys != nil {
			k, _ = ks.inside(ref.Spec, k) // an error is told when it is opened
		}
		if k == nil || k.Named == nil || len(texts) == 1 {
			continue
		}
		if name := k.Named(ref); name != "" {
			if groups[name] == nil {
				names = append(names, name)
			}
			groups[name] = append(groups[name], i)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		taken[name] = taken[name] || len(groups[name]) == 1 && groups[name] != nil
	}
	for _, name := range names {
		group := groups[name]
		rivals := len(group) > 1 || slices.ContainsFunc(texts, func(text string) bool {
			as, _ := Split(text)
			return as == name
		})
		if !rivals {
			continue
		}
		var all []string
		for at, other := range suffixes(texts, group) {
			i := group[at]
			as := name + "_" + other
			if other == "" || taken[as] {
				sum := sha256.Sum256([]byte(texts[i]))
				as = name + "_" + hex.EncodeToString(sum[:2])
			}
			taken[as] = true
			all = append(all, ks.told(texts[i])+" is "+as)
			for same, text := range texts {
				if text == texts[i] {
					named[same] = as + "=" + text
				}
			}
		}
		slices.Sort(all)
		told = append(told, fmt.Sprintf("name %s: several sources would have it: %s; NAME=SOURCE gives others", name,
			strings.Join(all, ", ")))
	}
	return named, told
}

// suffixes tell the texts of a group apart; all are empty where nothing does.
func suffixes(texts []string, group []int) []string {
	var parts [][]string
	most := 0
	for _, i := range group {
		p := placeOf(texts[i])
		parts, most = append(parts, p), max(most, len(p))
	}
	for level := range most {
		var all []string
		for _, p := range parts {
			if level >= len(p) || p[level] == "" || slices.Contains(all, p[level]) {
				break
			}
			all = append(all, p[level])
		}
		if len(all) == len(group) {
			return all
		}
	}
	return make([]string, len(group))
}

// Address is the file or address of a source as it is written, without its values: an absolute path, or a URL.
func Address(text string) string {
	shown, _ := secret.Place(whole(text))
	return shown
}

// whole is Address with the values.
func whole(text string) string {
	_, text = Split(text)
	if i := strings.Index(text, ":"); i > 1 && !strings.HasPrefix(text[i:], "://") {
		text = text[i+1:] // what stands behind the prefix of a kind
	}
	if strings.Contains(text, "://") {
		return text
	}
	if path, err := filepath.Abs(text); err == nil {
		return path
	}
	return text
}

// placeOf are the folders and the host of a source as parts of ids, those nearest to its end first. A file lies in
// the folders of its whole path.
func placeOf(text string) []string {
	path, host := filepath.ToSlash(Address(text)), ""
	if u, err := url.Parse(path); err == nil && u.Host != "" {
		path, host = u.Path, u.Hostname()
	}
	folders := strings.Split(path, "/")
	folders = folders[:len(folders)-1]
	var parts []string
	for _, folder := range slices.Backward(folders) {
		parts = append(parts, strings.Trim(verb.Segment(folder), "_"))
	}
	if host != "" {
		for len(parts) > 0 && parts[len(parts)-1] == "" {
			parts = parts[:len(parts)-1]
		}
		parts = append(parts, strings.Trim(verb.Segment(strings.ReplaceAll(host, ".", "_")), "_"))
	}
	return parts
}

// told is Shown for a line that tells several sources apart.
func (ks Kinds) told(text string) string {
	shown := ks.Shown(text)
	if _, marked, ok := strings.Cut(Address(text), " ("); ok {
		shown += " (" + marked
	}
	return shown
}

// WithNeeded is the texts, and those of the sources that theirs need, each once: one that is among the texts by its
// file or address is that.
func (ks Kinds) WithNeeded(texts []string, h Host) []string {
	all, have := slices.Clone(texts), map[string]bool{}
	for _, text := range texts {
		have[whole(text)] = true
	}
	for _, text := range texts {
		ref, k := ks.Find(text)
		if k != nil && k.Prefix == "" && k.TopKeys != nil {
			k, _ = ks.inside(ref.Spec, k)
		}
		if k == nil || k.Needs == nil {
			continue
		}
		for _, needed := range k.Needs(ref, h) {
			if at := whole(needed); !have[at] {
				have[at] = true
				all = append(all, needed)
			}
		}
	}
	return all
}
