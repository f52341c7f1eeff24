-- uses counts: of a value how often it was put, of a part how often values have it.
CREATE TABLE value (digest BLOB PRIMARY KEY, size INTEGER NOT NULL, parts BLOB NOT NULL, uses INTEGER NOT NULL);
-- data is deflated where that makes it shorter than size.
CREATE TABLE part (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, data BLOB NOT NULL,
	uses INTEGER NOT NULL);
CREATE INDEX unused ON part (id) WHERE uses <= 0;
CREATE TABLE record (name TEXT PRIMARY KEY, data BLOB);
