/**
 * Stored responses and threads, and who owns what an upstream keeps under its own ids. Inputs of background responses are
 * apart, because SQLite rewrites the whole row at each update and an input may have many megabytes.
 */
export const conversations: ReadonlyArray<string> = [
  `CREATE TABLE responses (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    previous_id TEXT,
    status TEXT NOT NULL,
    response TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT NOT NULL,
    include TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  `CREATE INDEX responses_expires_at ON responses (expires_at)`,
  `CREATE TABLE response_items (
    account_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    response_id TEXT NOT NULL REFERENCES responses (id) ON DELETE CASCADE,
    PRIMARY KEY (account_id, item_id)
  )`,
  `CREATE INDEX response_items_response_id ON response_items (response_id)`,
  `CREATE TABLE response_inputs (
    response_id TEXT PRIMARY KEY REFERENCES responses (id) ON DELETE CASCADE,
    input TEXT NOT NULL
  )`,
  `CREATE TABLE thread_turns (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL,
    previous_id TEXT,
    setup TEXT NOT NULL,
    messages TEXT NOT NULL,
    content TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    held_by TEXT,
    PRIMARY KEY (account_id, id)
  )`,
  `CREATE UNIQUE INDEX thread_turns_previous_id ON thread_turns (account_id, previous_id)`,
  `CREATE INDEX thread_turns_expires_at ON thread_turns (expires_at)`,
  `CREATE TABLE reasoning_seals (
    account_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    details TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, call_id)
  )`,
  `CREATE INDEX reasoning_seals_account_id ON reasoning_seals (account_id, expires_at)`,
  `CREATE INDEX reasoning_seals_expires_at ON reasoning_seals (expires_at)`,
  `CREATE TABLE upstream_ids (
    upstream TEXT NOT NULL,
    id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    given_at BIGINT NOT NULL,
    PRIMARY KEY (upstream, id)
  )`
]
