// The reference implementation of the language, driven through a pipe by the benchmarks, which are
// written in Rust. Each line of the input is a command and gives lines of output:
//
//	about            the versions that were built, on one line
//	prepare {...}    number of contenders, which is one, then its name, or "!" and the error
//	answer 0 7       the result for the eighth scope as JSON, or "!" and the error
//	run 0 1000       nanoseconds that 1000 evaluations took, each against the next scope
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// The name of this contender in tables.
const name = "hcl (Go)"

func main() {
	// The other engines have one thread each. The garbage collector shares it.
	runtime.GOMAXPROCS(1)
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "hcl (Go):", err)
		os.Exit(1)
	}
}

// serve follows commands until the input ends.
func serve() error {
	var current *job
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	for input.Scan() {
		verb, rest, _ := strings.Cut(input.Text(), " ")
		var contender, number int
		switch verb {
		case "about":
			fmt.Println(about())
		case "prepare":
			fmt.Println(1)
			var err error
			if current, err = prepared(rest); err != nil {
				fmt.Println(problem(fmt.Errorf("%s: %w", name, err)))
			} else {
				fmt.Println(name)
			}
		case "answer":
			if _, err := fmt.Sscan(rest, &contender, &number); err != nil {
				return err
			}
			if answer, err := current.answer(number); err != nil {
				fmt.Println(problem(err))
			} else {
				fmt.Println(string(answer))
			}
		case "run":
			if _, err := fmt.Sscan(rest, &contender, &number); err != nil {
				return err
			}
			fmt.Println(current.timed(number).Nanoseconds())
		default:
			return fmt.Errorf("no such command: %s", verb)
		}
	}
	return input.Err()
}

// prepared prepares the task that is described in JSON.
func prepared(text string) (*job, error) {
	var task task
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return nil, err
	}
	return task.prepare()
}

// problem is an error on one line.
func problem(err error) string {
	return "!" + strings.ReplaceAll(err.Error(), "\n", " ")
}

// spent is the processor time of this process, including that of the garbage collector's threads, because
// collecting is part of the cost of an evaluation.
func spent() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// about returns the versions recorded by the build, which may differ from those requested.
func about() string {
	info, _ := debug.ReadBuildInfo()
	parts := []string{runtime.Version()}
	for _, module := range info.Deps {
		switch module.Path {
		case "github.com/hashicorp/hcl/v2", "github.com/zclconf/go-cty":
			parts = append(parts, strings.TrimPrefix(module.Path, "github.com/")+" "+module.Version)
		}
	}
	return strings.Join(parts, ", ")
}
