package team

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
)

// This file is the actions over claims.

// What the actions over claims take and return.
type (
	region struct {
		Path  string `json:"path,omitempty" jsonschema:"A file; a relative path is of the folder in which the session works"`
		First *int   `json:"first,omitempty" jsonschema:"Its first line; without lines the whole file"`
		Last  *int   `json:"last,omitempty" jsonschema:"Its last line; the end of the file if left out"`
		Name  string `json:"name,omitempty" jsonschema:"Anything else that one agent at a time should work on; instead of path"`
	}
	newClaim struct {
		region
		What    string `json:"what,omitempty" jsonschema:"What for, in a few words"`
		Minutes *int   `json:"minutes,omitempty" jsonschema:"How long, at most 1440; left out: until it is released or the session ends"`
	}
)

// wanted is the claim that is asked for, checked.
func (b *book) wanted(in newClaim) (Claim, time.Duration, error) {
	claim := Claim{Path: in.Path, Name: in.Name, What: in.What}
	for _, line := range []struct {
		given *int
		to    *int
		what  string
	}{{in.First, &claim.First, "first"}, {in.Last, &claim.Last, "last"}} {
		if line.given == nil {
			continue
		}
		if *line.given < 1 {
			return claim, 0, fmt.Errorf("%s %d: want a line, from 1 on", line.what, *line.given)
		}
		*line.to = *line.given
	}
	minutes := 0
	if in.Minutes != nil {
		if minutes = *in.Minutes; minutes < 1 || minutes > int(maxClaim.Minutes()) {
			return claim, 0, fmt.Errorf("minutes %d: want 1 to %d", minutes, int(maxClaim.Minutes()))
		}
	}
	return claim, time.Duration(minutes) * time.Minute, b.check(&claim)
}

func notClaimed(c *Claim) error {
	return errors.New(c.region() + ": this agent has not claimed it: see peer.claims")
}

// claimEntries are the actions over claims.
func (t *Team) claimEntries() []catalog.Entry {
	entities := []string{"claim", "file"}
	return []catalog.Entry{
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.claim", Title: "Claim a part of a file",
			Description: "Claim lines of a file, a whole file or any named thing, so that no other agent of the team works on it. " +
				"Fails, and says who has it, if another one has any part of it.",
			Aliases: []string{"peer_claim_region", "lock a file", "reserve lines"}, Entities: entities, Mutates: true,
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				in, err := catalog.Arguments[newClaim](call)
				if err != nil {
					return "", err
				}
				c, _, err := t.book.wanted(in)
				if err != nil {
					return "", err
				}
				all, _, err := t.book.read(ctx, c.key())
				if err == nil {
					err = t.book.conflict(&c, all)
				}
				return "claims " + c.region(), err
			},
			Examples: []string{`peer.claim{path = "catalog/search/rank.go", first = 10, last = 80, what = "new ranking"}`},
		}), func(ctx context.Context, in newClaim, _ catalog.Context) (Claim, error) {
			claim, fixed, err := t.book.wanted(in)
			if err != nil {
				return Claim{}, err
			}
			return t.book.claim(ctx, claim, fixed)
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.release", Title: "Release a claim",
			Description: "Release what this agent has claimed: a region, all regions of a file, or a name.",
			Aliases:     []string{"peer_release_region", "unlock a file"}, Entities: entities, Mutates: true,
			Examples: []string{`peer.release{path = "catalog/search/rank.go"}`},
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				in, err := catalog.Arguments[region](call)
				if err != nil {
					return "", err
				}
				c, _, err := t.book.wanted(newClaim{region: in})
				if err != nil {
					return "", err
				}
				all, _, err := t.book.read(ctx, c.key())
				own, _ := t.book.own(&c, all)
				if err == nil && len(own) == 0 {
					err = notClaimed(&c)
				}
				var regions []string
				for i := range own {
					regions = append(regions, own[i].region())
				}
				return "releases " + strings.Join(regions, ", "), err
			},
		}), func(ctx context.Context, in region, _ catalog.Context) (sent, error) {
			claim, _, err := t.book.wanted(newClaim{region: in})
			if err != nil {
				return sent{}, err
			}
			released, err := t.book.release(ctx, claim)
			if err == nil && len(released) == 0 {
				err = notClaimed(&claim)
			}
			return sent{text.Count(len(released), "claim") + " released"}, err
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.claims", Title: "List claims",
			Description: "List what the agents of the team have claimed: files with lines, names, by whom and until when.",
			Aliases:     []string{"peer_list_claims", "who has this file", "locked files"}, Entities: entities,
			Examples: []string{`peer.claims()`},
		}), func(ctx context.Context, _ struct{}, _ catalog.Context) ([]Claim, error) {
			all, err := t.Claims(ctx)
			return append([]Claim{}, all...), err
		}),
	}
}
