package verb

// This file lists the verbs. A word is in one list only of certain, likely and possible.

import "strings"

const (
	// readVerbs begin the names of reads; plainReads do so even if no method confirms it.
	readVerbs = plainReads + "view download export head filter browse preview validate verify " +
		"estimate suggest autocomplete watch poll inspect display discover diff ping is has can does are should "
	plainReads = " get list read fetch retrieve search find query lookup show describe count check compare compute " +
		"calculate " +
		"convert analyze "
	// searchVerbs are the readVerbs that make even a POST a read.
	searchVerbs = " search query find lookup list count filter autocomplete suggest "

	// certain verbs mark a mutation wherever they stand as a verb, whatever a text says.
	certain = deleting + "kill revoke terminate cancel create upsert insert modify overwrite enable disable activate " +
		"deactivate " +
		"attach detach associate disassociate assign unassign allocate deallocate accept reject approve decline reboot " +
		"restart " +
		"suspend deprovision deregister unregister unsubscribe unfollow unblock unban unlock unpublish unarchive " +
		"deauthorize " +
		"promote rebuild untag unmonitor switchover backtrack rebalance resync "
	// likely verbs do too, unless other words or the text say that it reads: updateCheck.
	likely = " update add edit append start stop set put patch replace rename move reset restore resume provision send " +
		"resend " +
		"publish subscribe logout signout close reopen pause complete confirm execute exec invoke upload register " +
		"authorize " +
		"rollback retry refresh reload abort rotate save submit connect disconnect clone migrate notify invite join " +
		"enroll ban " +
		"withdraw redeem void apply configure resize reorder recover initiate advertise increase decrease mute unmute " +
		"merge trigger " +
		"evict consume flush drain invalidate dismiss acknowledge ack enqueue dequeue requeue wake hibernate discard " +
		"impersonate toggle "
	// possible verbs are nouns just as often: they count with words after them (copyPad, not GET /copy).
	possible = " run copy change transfer refund charge pay buy purchase import sync lock fork share block swap tag " +
		"release " +
		"archive deposit generate failover capture deploy "
	// commanded verbs count as the value of an Action parameter, which is always a verb, announced ones before an article
	// in a text.
	commanded = " post place order request report record enter exit continue test verify build compose define index " +
		"signal " +
		"monitor opt bundle push follow "
	announced = " open push post place report record enter continue test build compose follow star "

	deleting = " delete del remove rm destroy purge erase drop truncate clear wipe uninstall unlink "
	harming  = " terminate revoke transfer refund charge pay payout deactivate disable shutdown cancel close force " +
		"publish release " +
		"reset suspend ban block withdraw kill reboot abort failover rollback deregister deprovision "
	creating = " create add insert new post send "
	// updating verbs do not create anything, even with POST.
	updating = " update edit modify change set patch put replace rename move merge cancel close open reopen enable " +
		"disable " +
		"activate deactivate archive unarchive restore lock unlock approve reject confirm start stop pause resume " +
		"restart reset " +
		"assign unassign "

	// modifiers stand before the verb of a name, preambles before that of a text: "This endpoint permanently deletes a
	// user".
	modifiers = " batch bulk mass multi async admin force soft hard try "
	preambles = modifiers + "this endpoint method api call request operation resource route action will permanently " +
		"immediately " +
		"allows allow you used use to for "
	// glued verbs are known where another word is written to them: deleteuser.
	glued = "delete remove destroy terminate purge erase create insert update modify revoke cancel enable disable " +
		"activate " +
		"deactivate unsubscribe suspend reboot restart reset "
	inflections = "d ion lation led ling ing ting able ment "
	// properties after a possible verb make it a noun: syncStatus.
	properties = " status state history stats statistics info details settings summary metrics events logs options rules "
	articles   = " a an the this all your new one some existing "
	// writes in the text of a POST contradict that it only searches.
	writes = " create creates add adds update updates delete deletes remove removes save saves store stores modify " +
		"modifies " +
		"insert inserts schedule schedules start starts trigger triggers set sets "
	// actionKeys are the parameters whose values name the operation.
	actionKeys = " action operation method op cmd command do "
)

func among(list, word string) bool { return word != "" && strings.Contains(list, " "+word+" ") }

// Known reports whether a lower-case word is a verb of operations (or "options", "status", "stats"), not the name of
// their object.
func Known(word string) bool {
	return among(readVerbs+updating+" options status stats ", word) || dangerous(word)
}

// IsActionKey reports whether a parameter of this name selects the operation: Action=TerminateInstances.
func IsActionKey(name string) bool { return among(actionKeys, strings.ToLower(name)) }

// dangerous reports verbs whose effect is hard to undo.
func dangerous(word string) bool { return among(deleting+harming, word) }
