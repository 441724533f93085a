import { conversations } from "./conversations.ts"
import { serving } from "./serving.ts"
import { tasks } from "./tasks.ts"

/** The counts of a usage row. */
const counts = [
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "searches",
  "video_frames",
  "cost_nano_usd"
]

/** The largest integer that a double represents exactly: the limit of amounts, counts and sums. */
const most = Number.MAX_SAFE_INTEGER

const isNotWhole = (column: string) => `typeof(${column}) <> 'integer'`
const isNoCount = (column: string) => `${isNotWhole(column)} OR ${column} NOT BETWEEN 0 AND ${most}`
const isNoAmount = (column: string) => `${isNotWhole(column)} OR ${column} NOT BETWEEN ${-most} AND ${most}`
const each = (columns: ReadonlyArray<string>, rule: (column: string) => string) =>
  columns.map((column) => rule(`NEW.${column}`)).join(" OR ")
const falls = (columns: ReadonlyArray<string>) => columns.map((column) => `NEW.${column} < OLD.${column}`).join(" OR ")

const refusing = (name: string, when: string, table: string, condition: string) =>
  `CREATE TRIGGER ${name} BEFORE ${when} ON ${table} WHEN ${condition}
    BEGIN SELECT RAISE(ABORT, '${table}: out of range'); END`
const appendOnly = (table: string, are: string) => [
  `CREATE TRIGGER ${table}_${are}_append_only BEFORE UPDATE ON ${table}
    BEGIN SELECT RAISE(ABORT, '${table} ${are} append-only'); END`,
  `CREATE TRIGGER ${table}_${are}_kept BEFORE DELETE ON ${table}
    BEGIN SELECT RAISE(ABORT, '${table} ${are} append-only'); END`
]
/** Sums that only rise, from counts. */
const rising = (table: string, columns: ReadonlyArray<string>) => [
  refusing(`${table}_is_money`, "INSERT", table, each(columns, isNoCount)),
  refusing(`${table}_only_rises`, "UPDATE", table, `${each(columns, isNotWhole)} OR ${falls(columns)}`)
]

/** The tables that Postgres has in its own words. */
const tables = [
  `CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL,
    limits TEXT NOT NULL DEFAULT '{}',
    search_allowed TEXT,
    search_blocked TEXT,
    webhook_version INTEGER NOT NULL DEFAULT 1,
    webhook_rotated_at BIGINT,
    granted_nano_usd BIGINT,
    settled_nano_usd BIGINT NOT NULL DEFAULT 0,
    declared_nano_usd BIGINT,
    unpriced TEXT,
    declared_unpriced TEXT,
    hold_output_tokens BIGINT,
    declared_hold_output_tokens BIGINT,
    held_nano_usd BIGINT NOT NULL DEFAULT 0,
    suspended_at BIGINT,
    deleted_at BIGINT
  )`,
  `CREATE TABLE grants (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    nano_usd BIGINT NOT NULL,
    note TEXT NOT NULL
  )`,
  `CREATE TABLE usage (
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
    cost_nano_usd BIGINT NOT NULL,
    cache_write_1h_tokens BIGINT NOT NULL DEFAULT 0,
    upstream_cost_nano_usd BIGINT,
    task_id TEXT
  )`,
  `CREATE INDEX usage_account ON usage (account_id, at)`,
  `CREATE INDEX usage_tasks ON usage (request_id) WHERE task_id IS NOT NULL`,
  `CREATE TABLE usage_days (
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
    upstream_cost_nano_usd BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, day, key_id, model)
  )`,
  `CREATE INDEX usage_days_day ON usage_days (day)`,
  `CREATE TABLE key_spending (
    key_id TEXT NOT NULL,
    day TEXT NOT NULL,
    nano_usd BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
  )`,
  `CREATE TABLE holds (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    price TEXT NOT NULL,
    nano_usd BIGINT NOT NULL,
    confirmed INTEGER NOT NULL DEFAULT 1
  )`,
  `CREATE INDEX holds_account ON holds (account_id)`,
  `CREATE INDEX holds_key ON holds (key_id)`,
  `CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    before TEXT,
    after TEXT
  )`,
  `CREATE INDEX audit_target ON audit (target, id)`,
  `CREATE TABLE kept_answers (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    answer BLOB NOT NULL,
    at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX kept_answers_key ON kept_answers (account_id, endpoint, idempotency_key)`,
  `CREATE INDEX kept_answers_at ON kept_answers (at)`,
  `CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    family TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream_model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    status BIGINT NOT NULL,
    error TEXT NOT NULL,
    stream BIGINT NOT NULL,
    first_byte_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    cost_nano_usd BIGINT,
    details TEXT NOT NULL,
    upstream_cost_nano_usd BIGINT,
    settled_at BIGINT
  )`,
  `CREATE INDEX requests_request_id ON requests (request_id)`,
  `CREATE INDEX requests_account ON requests (account_id, id)`
]

const granted = "granted_nano_usd"
const settled = "settled_nano_usd"

/** The database refuses invalid money: fractions, amounts too large for exact sums, and sums of usage that fall. */
const rules = [
  ...appendOnly("usage", "is"),
  ...appendOnly("grants", "are"),
  ...appendOnly("audit", "is"),
  refusing("usage_is_money", "INSERT", "usage", each(counts, isNoCount)),
  refusing("holds_are_money", "INSERT", "holds", each(["nano_usd"], isNoCount)),
  refusing("holds_stay_money", "UPDATE OF nano_usd", "holds", each(["nano_usd"], isNoCount)),
  refusing("grants_are_money", "INSERT", "grants", each(["nano_usd"], isNoAmount)),
  refusing(
    "granted_stays_money",
    `UPDATE OF ${granted}`,
    "accounts",
    `NEW.${granted} IS NOT NULL AND (${each([granted], isNoAmount)})`
  ),
  refusing(
    "settled_only_rises",
    `UPDATE OF ${settled}`,
    "accounts",
    `${each([settled], isNotWhole)} OR ${falls([settled])}`
  ),
  ...rising("key_spending", ["nano_usd"]),
  ...rising("usage_days", counts)
]

/** The schema of 1.0.0 on SQLite. */
export const sqlite: ReadonlyArray<string> = [...tables, ...serving, ...tasks, ...conversations, ...rules]
