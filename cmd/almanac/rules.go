package main

import (
	"fmt"
	"io"
	"os"

	"github.com/BurntSushi/toml"

	"almanac/catalog"
	"almanac/catalog/regular"
)

// readRules reads a view file.
func readRules(path string) (catalog.Rules, error) {
	text, err := readRegular(path)
	if err != nil {
		return catalog.Rules{}, fmt.Errorf("view: %w", err)
	}
	var table map[string]any
	if _, err := toml.Decode(string(text), &table); err != nil {
		return catalog.Rules{}, fmt.Errorf("view %s: %w", path, err)
	}
	r, err := catalog.ParseRules(table)
	if err != nil {
		return catalog.Rules{}, fmt.Errorf("view %s: %w", path, err)
	}
	r.Name = "view " + path
	return r, nil
}

// readRegular reads a regular file. Pipes, devices and folders are refused, since they might never end; the null device
// counts as an empty file.
func readRegular(path string) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
