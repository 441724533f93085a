/**
 * Keys, and what is used and counted by the hour. Of a key, only the SHA-256 of its secret is stored (hex). Times are Unix
 * ms, money is in nano-dollars; limits, models and domains are JSON. `access_version` counts changes, so that every
 * process notices them. `sessions.kind` is `link` for the links that begin a session.
 *
 * `nodes` are the processes that serve from one Postgres: past `good_until` a node is considered dead, and without its
 * `backend` (the server process of its connection) at once. `node_holds`, `node_batches`, `key_budgets`,
 * `idempotency_claims` and `usage_unsummed` are shared by them; with SQLite they are in the memory of the one process.
 * `node_batches` numbers a node's statements, so that none takes effect twice, and none after the node is declared dead.
 */
export const serving: ReadonlyArray<string> = [
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    models TEXT NOT NULL DEFAULT '["*"]',
    limits TEXT NOT NULL DEFAULT '{}',
    budget_nano_usd BIGINT,
    budget_period TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    declared TEXT,
    unpriced TEXT
  )`,
  `CREATE INDEX keys_account ON keys (account_id)`,
  `CREATE UNIQUE INDEX keys_declared ON keys (name) WHERE declared IS NOT NULL`,
  `CREATE TABLE access_version (version BIGINT NOT NULL)`,
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    opened_with TEXT NOT NULL,
    account_id TEXT,
    key_id TEXT,
    client TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  `CREATE TABLE configurations (
    version BIGINT PRIMARY KEY,
    document TEXT NOT NULL,
    applied_at BIGINT NOT NULL,
    applied_by TEXT NOT NULL,
    note TEXT
  )`,
  `CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    machine TEXT NOT NULL,
    pid BIGINT NOT NULL,
    backend BIGINT NOT NULL,
    version TEXT NOT NULL,
    secret_check TEXT,
    started_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    good_until BIGINT NOT NULL
  )`,
  `CREATE TABLE node_holds (
    node TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    nano_usd BIGINT NOT NULL,
    PRIMARY KEY (node, account_id, key_id)
  )`,
  `CREATE TABLE node_batches (
    node TEXT NOT NULL,
    lane INTEGER NOT NULL,
    batch BIGINT NOT NULL,
    answer TEXT,
    buried_at BIGINT,
    PRIMARY KEY (node, lane)
  )`,
  `CREATE TABLE key_budgets (
    key_id TEXT PRIMARY KEY,
    held_nano_usd BIGINT NOT NULL,
    day TEXT NOT NULL,
    day_nano_usd BIGINT NOT NULL,
    month_nano_usd BIGINT NOT NULL
  )`,
  `CREATE TABLE idempotency_claims (
    account_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    node TEXT NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (account_id, endpoint, idempotency_key)
  )`,
  `CREATE UNIQUE INDEX idempotency_claims_token ON idempotency_claims (token)`,
  `CREATE INDEX idempotency_claims_node ON idempotency_claims (node)`,
  `CREATE TABLE usage_unsummed (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    day TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    video_frames BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    held_nano_usd BIGINT NOT NULL,
    upstream_cost_nano_usd BIGINT NOT NULL DEFAULT 0,
    hour BIGINT NOT NULL DEFAULT -1,
    upstream TEXT NOT NULL DEFAULT ''
  )`,
  `CREATE TABLE usage_hours (
    hour BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    upstream_cost_nano_usd BIGINT NOT NULL,
    PRIMARY KEY (hour, account_id, key_id, model, upstream)
  )`,
  `CREATE TABLE request_hours (
    hour BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    requests BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    first_byte_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    refused BIGINT NOT NULL DEFAULT 0,
    hang_ups BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (hour, account_id, key_id, model, upstream)
  )`,
  `CREATE TABLE request_bodies (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT NOT NULL,
    is_cut BIGINT NOT NULL
  )`,
  `CREATE INDEX request_bodies_at ON request_bodies (at)`,
  `CREATE INDEX request_bodies_account ON request_bodies (account_id)`
]
