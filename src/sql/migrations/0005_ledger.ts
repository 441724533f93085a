import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Money, in nano-dollars. An account's balance is `granted - settled - held`: `granted` sums its grants (null: it is
 * unmetered), `settled` its usage rows, `held` its holds here and, in the server, those of running requests. Usage and
 * grants are append-only.
 */
export const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN granted_nano_usd BIGINT`
  yield* sql`ALTER TABLE accounts ADD COLUMN settled_nano_usd BIGINT NOT NULL DEFAULT 0`
  yield* sql`CREATE TABLE grants (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    nano_usd BIGINT NOT NULL,
    note TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE usage (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    outcome TEXT NOT NULL,
    estimated INTEGER NOT NULL,
    input_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    video_frames BIGINT NOT NULL,
    price TEXT NOT NULL,
    cost_nano_usd BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX usage_account ON usage (account_id, at)`
  yield* sql`CREATE TABLE key_spending (
    key_id TEXT NOT NULL,
    day TEXT NOT NULL,
    nano_usd BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
  )`
  yield* sql`CREATE TABLE holds (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    price TEXT NOT NULL,
    nano_usd BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX holds_account ON holds (account_id)`
  yield* sql`CREATE TRIGGER usage_is_append_only BEFORE UPDATE ON usage
    BEGIN SELECT RAISE(ABORT, 'usage is append-only'); END`
  yield* sql`CREATE TRIGGER usage_is_kept BEFORE DELETE ON usage
    BEGIN SELECT RAISE(ABORT, 'usage is append-only'); END`
  yield* sql`CREATE TRIGGER grants_are_append_only BEFORE UPDATE ON grants
    BEGIN SELECT RAISE(ABORT, 'grants are append-only'); END`
  yield* sql`CREATE TRIGGER grants_are_kept BEFORE DELETE ON grants
    BEGIN SELECT RAISE(ABORT, 'grants are append-only'); END`
})
