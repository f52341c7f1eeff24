package kept

// This file looks at the parts of several values: what they take together, and how they come into another store.

import (
	"database/sql"
	"encoding/hex"
	"errors"
)

// Taken is how many bytes the values with these digests take together, compressed. Those that are not there take none.
func (s *Store) Taken(digests []string) (n int64, err error) {
	err = s.look(func(db *sql.DB) error {
		seen := map[uint64]bool{}
		for _, digest := range digests {
			ids, _, _, err := partsOf(db, digest)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			for _, id := range ids {
				seen[id] = true
			}
		}
		rows, err := db.Query(`SELECT id, length(data) FROM part`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id uint64
			var size int64
			if err := rows.Scan(&id, &size); err != nil {
				return err
			}
			if seen[id] {
				n += size
			}
		}
		return rows.Err()
	})
	return n, err
}

// partsOf returns the numbers of a value's parts, its SHA-256 and its size.
func partsOf(db *sql.DB, digest string) (ids []uint64, sum []byte, size int, err error) {
	if sum, err = hex.DecodeString(digest); err != nil {
		return nil, nil, 0, errDamaged
	}
	var numbers []byte
	if err = db.QueryRow(`SELECT size, parts FROM value WHERE digest = ?`, sum).Scan(&size, &numbers); err == nil {
		ids, err = numbersOf(numbers)
	}
	return ids, sum, size, err
}

// Copy puts the values with these digests, of which from has the parts. Values that from does not have are left out. It
// does not look into them: Get will.
func (s *Store) Copy(from *Store, digests []string) error {
	return from.look(func(db *sql.DB) error {
		return s.change(func(tx *sql.Tx) error { return copyValues(tx, db, digests) })
	})
}

func copyValues(tx *sql.Tx, db *sql.DB, digests []string) error {
	numbers := map[uint64]uint64{} // of parts, here by there
	more := map[uint64]int{}       // uses of parts here
	for _, digest := range digests {
		ids, sum, size, err := partsOf(db, digest)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		done, err := tx.Exec(`UPDATE value SET uses = uses + 1 WHERE digest = ?`, sum)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); n > 0 || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		for i, there := range ids {
			here, known := numbers[there]
			if !known {
				if here, err = copyPart(tx, db, there); err != nil {
					return err
				}
				numbers[there] = here
			}
			more[here]++
			ids[i] = here
		}
		_, err = tx.Exec(`INSERT INTO value (digest, size, parts, uses) VALUES (?, ?, ?, 1)`, sum, size, packed(ids))
		if err != nil {
			return err
		}
	}
	for id, n := range more {
		if _, err := tx.Exec(`UPDATE part SET uses = uses + ? WHERE id = ?`, n, id); err != nil {
			return err
		}
	}
	return nil
}

// copyPart returns the number here of a part there. Its uses are still to be counted.
func copyPart(tx *sql.Tx, db *sql.DB, there uint64) (here uint64, err error) {
	var sum, data []byte
	var size int
	row := db.QueryRow(`SELECT digest, size, data FROM part WHERE id = ?`, there)
	if err = row.Scan(&sum, &size, &data); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = errDamaged
		}
		return 0, err
	}
	err = tx.QueryRow(`SELECT id FROM part WHERE digest = ?`, sum).Scan(&here)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRow(`INSERT INTO part (digest, size, data, uses) VALUES (?, ?, ?, 0) RETURNING id`, sum, size, data).
			Scan(&here)
	}
	return here, err
}
