package bus

import "path/filepath"

// socketPath is where the server is offered: in the folder of the data, which is in the user's profile.
func socketPath(dir string) (string, error) { return filepath.Abs(filepath.Join(dir, "socket")) }
