package team

import "os"

// isRunning says whether there is a process of this number.
func isRunning(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

// processSpace tells apart containers of one machine, which Windows gives names of their own.
func processSpace() string { return "" }
