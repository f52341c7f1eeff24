package team

import (
	"os"
	"path"
	"path/filepath"
)

// This file is how the path of a claim is written, so that one file has one.

// claimedPath writes a path with slashes and without symbolic links: relative to root where it is in there, else
// absolute. A relative one is of dir; where nothing is there, and something is in root, it is of root, as other claims
// are shown. Without dir it is only cleaned.
func claimedPath(file, dir, root string) string {
	if dir != "" {
		root = resolved(root)
		if !filepath.IsAbs(file) {
			file = whole(file, dir, root)
		}
		file = resolved(file)
		if in, err := filepath.Rel(root, file); root != "" && err == nil && filepath.IsLocal(in) {
			file = in
		}
	}
	return path.Clean(filepath.ToSlash(file))
}

// whole is the absolute path of a relative one. A file may be new: then its folder counts.
func whole(file, dir, root string) string {
	here, there := filepath.Join(dir, file), filepath.Join(root, file)
	switch {
	case root == "" || exists(here):
		return here
	case exists(there) || !exists(filepath.Dir(here)) && exists(filepath.Dir(there)):
		return there
	}
	return here
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// resolved is a path without symbolic links, as far as it is there.
func resolved(file string) string {
	if file == "" {
		return ""
	}
	if found, err := filepath.EvalSymlinks(file); err == nil {
		return found
	}
	parent := filepath.Dir(file)
	if parent == file {
		return file
	}
	return filepath.Join(resolved(parent), filepath.Base(file))
}
