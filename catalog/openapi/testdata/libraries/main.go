// Command libraries prints what reading OpenAPI documents costs with catalog/openapi and with libraries for it: time,
// memory and operations, each in a process of its own.
//
//	libraries FILE...
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"almanac/catalog/openapi"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pb33f/libopenapi"
)

// readers read a document of OpenAPI 3 and count its operations. Ours makes the whole catalog of it.
var readers = map[string]func(file string) (int, error){
	"catalog/openapi": func(file string) (int, error) {
		batch, err := openapi.New(openapi.Options{From: file}).Load(context.Background(), nil)
		return batch.Found, err
	},
	"kin-openapi": func(file string) (int, error) {
		doc, err := openapi3.NewLoader().LoadFromFile(file)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, item := range doc.Paths.Map() {
			n += len(item.Operations())
		}
		return n, nil
	},
	"libopenapi": func(file string) (int, error) {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		doc, err := libopenapi.NewDocument(text)
		if err != nil {
			return 0, err
		}
		model, err := doc.BuildV3Model()
		if err != nil {
			return 0, err
		}
		n := 0
		for item := range model.Model.Paths.PathItems.ValuesFromOldest() {
			n += item.GetOperations().Len()
		}
		return n, nil
	},
}

const runs = 3

func main() {
	log.SetFlags(0)
	if len(os.Args) == 4 && os.Args[1] == "-read" {
		start := time.Now()
		n, err := readers[os.Args[2]](os.Args[3])
		if err != nil {
			log.Fatal(strings.SplitN(err.Error(), "\n", 2)[0])
		}
		fmt.Println(time.Since(start).Milliseconds(), n)
		return
	}
	for _, file := range os.Args[1:] {
		for _, name := range []string{"catalog/openapi", "kin-openapi", "libopenapi"} {
			measure(name, file)
		}
	}
}

// measure prints the median time and the largest memory of some processes.
func measure(name, file string) {
	var times []int
	var memory int64
	var operations int
	for range runs {
		var out, complaint strings.Builder
		cmd := exec.Command(os.Args[0], "-read", name, file)
		cmd.Stdout, cmd.Stderr = &out, io.Writer(&complaint)
		if err := cmd.Run(); err != nil {
			text := strings.TrimSpace(complaint.String())
			fmt.Printf("%-24s %-16s cannot read it: %.100s\n", filepath.Base(file), name, text)
			return
		}
		var ms int
		fmt.Sscan(out.String(), &ms, &operations)
		times = append(times, ms)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			memory = max(memory, usage.Maxrss)
		}
	}
	slices.Sort(times)
	fmt.Printf("%-24s %-16s %6d ms %6d MB %6d operations\n", filepath.Base(file), name,
		times[len(times)/2], memory>>10, operations)
}
