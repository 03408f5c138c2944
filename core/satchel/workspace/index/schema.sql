CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path NOT NULL, size INTEGER NOT NULL, content TEXT NOT NULL, kind TEXT NOT NULL,
    length INTEGER NOT NULL, secrets INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL, blob TEXT NOT NULL, settled INTEGER NOT NULL
);
CREATE UNIQUE INDEX documents_path ON documents(path);
CREATE VIRTUAL TABLE terms USING fts5(text, content='', columnsize=0, tokenize="ascii tokenchars '_/='");
INSERT INTO terms(terms, rank) VALUES ('hashsize', 8000000);
CREATE VIRTUAL TABLE places USING fts5vocab(terms, instance);
CREATE VIRTUAL TABLE words USING fts5vocab(terms, row);
CREATE TABLE parts (
    content TEXT, key TEXT, parts TEXT NOT NULL, terms TEXT NOT NULL, PRIMARY KEY (content, key)
) WITHOUT ROWID;
CREATE TABLE counts (key TEXT, hash BLOB, tokens INTEGER NOT NULL, PRIMARY KEY (key, hash)) WITHOUT ROWID;
CREATE TABLE blobs (hash TEXT PRIMARY KEY, text TEXT NOT NULL, age INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL, given TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
