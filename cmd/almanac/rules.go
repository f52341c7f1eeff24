package main

import (
	"fmt"
	"io"
	"os"

	"github.com/BurntSushi/toml"

	"almanac/catalog"
	"almanac/catalog/regular"
)

// readRules reads a view file. Every key is optional; an unknown key is an error, because a misspelt rule would leave
// more visible than intended.
func readRules(path string) (catalog.Rules, error) {
	var file struct {
		Actor            string   `toml:"actor"`
		Tenant           string   `toml:"tenant"`
		Namespaces       []string `toml:"namespaces"`
		DeniedNamespaces []string `toml:"denied_namespaces"`
		DeniedOperations []string `toml:"denied_operations"`
		DeniedIDs        []string `toml:"denied_ids"`
		IDs              []string `toml:"ids"`
		ReadOnly         bool     `toml:"read_only"`
	}
	text, err := readRegular(path)
	if err != nil {
		return catalog.Rules{}, fmt.Errorf("view: %w", err)
	}
	meta, err := toml.Decode(string(text), &file)
	if err != nil {
		return catalog.Rules{}, fmt.Errorf("view %s: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return catalog.Rules{}, fmt.Errorf("view %s: %s: unknown key; want actor, tenant, namespaces, denied_namespaces, denied_operations, denied_ids, ids, read_only", path, unknown[0])
	}
	if meta.IsDefined("namespaces") && len(file.Namespaces) == 0 {
		return catalog.Rules{}, fmt.Errorf("view %s: namespaces: empty list: name some, or omit the key to allow all", path)
	}
	if meta.IsDefined("ids") && len(file.IDs) == 0 {
		return catalog.Rules{}, fmt.Errorf("view %s: ids: empty list: name some, or omit the key to allow all", path)
	}
	r := catalog.Rules{
		Name: "view " + path, Actor: file.Actor, Tenant: file.Tenant, Namespaces: file.Namespaces,
		DeniedNamespaces: file.DeniedNamespaces, DeniedIDs: file.DeniedIDs, IDs: file.IDs, ReadOnly: file.ReadOnly,
	}
	for _, op := range file.DeniedOperations {
		r.DeniedOperations = append(r.DeniedOperations, catalog.Operation(op))
	}
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
