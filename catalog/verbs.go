package catalog

// This file knows the verbs of names that are dangerous to call, for sources that do not say what their actions do.

import "strings"

const (
	deleteVerbs = " delete remove destroy purge erase drop truncate clear wipe uninstall unlink "
	harmVerbs   = " terminate revoke transfer refund charge pay payout deactivate disable uninstall shutdown cancel close force publish release reset suspend ban block withdraw "
)

// Deletes reports whether an action whose name begins with the verb, in lower case, takes something away.
func Deletes(verb string) bool { return verb != "" && strings.Contains(deleteVerbs, " "+verb+" ") }

// Harms reports whether what such an action does may be hard to take back, short of deleting.
func Harms(verb string) bool { return verb != "" && strings.Contains(harmVerbs, " "+verb+" ") }
