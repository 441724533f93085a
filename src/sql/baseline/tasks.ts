/**
 * Durable work, its callbacks and its files. Times are Unix ms. `trace` is the `traceparent` of the request that created a
 * task. `response_events` are frames of background responses, several a row, by the number of the last one. `custody` are
 * copies of upstreams' files: to be made from `source`, or made already as `file_id`.
 */
export const tasks: ReadonlyArray<string> = [
  `CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    tier TEXT,
    state TEXT NOT NULL,
    lane TEXT NOT NULL,
    upstream TEXT,
    upstream_id TEXT,
    submit_at BIGINT,
    callback_url TEXT,
    details TEXT NOT NULL,
    result TEXT,
    error TEXT,
    changes INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    lease_token TEXT,
    lease_owner TEXT,
    next_run_at BIGINT NOT NULL,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT,
    trace TEXT,
    started_at BIGINT,
    cost_nano_usd BIGINT NOT NULL DEFAULT 0
  )`,
  `CREATE INDEX tasks_due ON tasks (lane, next_run_at) WHERE ended_at IS NULL`,
  `CREATE INDEX tasks_leased ON tasks (next_run_at) WHERE lease_token IS NOT NULL`,
  `CREATE INDEX tasks_expiring ON tasks (expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL`,
  `CREATE INDEX tasks_listed ON tasks (account_id, kind, created_at, id)`,
  `CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE INDEX tasks_upstream_id ON tasks (upstream_id) WHERE upstream_id IS NOT NULL`,
  `CREATE INDEX tasks_unheard ON tasks (lane, submit_at) WHERE submit_at IS NOT NULL AND upstream_id IS NULL`,
  `CREATE INDEX tasks_created ON tasks (created_at, id)`,
  `CREATE INDEX tasks_watched ON tasks (updated_at) WHERE ended_at IS NULL`,
  `CREATE INDEX tasks_account ON tasks (account_id, created_at, id)`,
  `CREATE TABLE task_requests (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    request TEXT NOT NULL
  )`,
  `CREATE TABLE task_cancellations (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    asked_at BIGINT NOT NULL,
    outcome TEXT
  )`,
  `CREATE INDEX task_cancellations_open ON task_cancellations (asked_at) WHERE outcome IS NULL`,
  `CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    account_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    status TEXT NOT NULL,
    terminal INTEGER NOT NULL,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    next_at BIGINT,
    tries INTEGER NOT NULL DEFAULT 0,
    redelivery INTEGER NOT NULL DEFAULT 0,
    attempts TEXT NOT NULL DEFAULT '[]',
    delivered_at BIGINT,
    lease_token TEXT,
    lease_owner TEXT,
    trace TEXT
  )`,
  `CREATE UNIQUE INDEX deliveries_task ON deliveries (task_id, sequence)`,
  `CREATE INDEX deliveries_due ON deliveries (host, next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX deliveries_leased ON deliveries (lease_owner) WHERE lease_token IS NOT NULL`,
  `CREATE INDEX deliveries_changed_at ON deliveries (changed_at, id)`,
  `CREATE INDEX deliveries_account ON deliveries (account_id, changed_at, id)`,
  `CREATE TABLE response_events (
    response_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    last INTEGER NOT NULL,
    frames TEXT NOT NULL,
    PRIMARY KEY (response_id, last)
  )`,
  `CREATE TABLE custody (
    task_id TEXT NOT NULL,
    part TEXT NOT NULL,
    name TEXT NOT NULL,
    source TEXT,
    file_id TEXT,
    begun_at BIGINT NOT NULL,
    bytes BIGINT,
    tries BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL,
    lease_owner TEXT,
    lease_token TEXT,
    PRIMARY KEY (task_id, part)
  )`,
  `CREATE INDEX custody_due ON custody (due_at)`,
  `CREATE TABLE sandbox_orders (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    content TEXT NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  `CREATE INDEX sandbox_orders_task_id ON sandbox_orders (task_id)`,
  `CREATE INDEX sandbox_orders_ends_at ON sandbox_orders (ends_at)`
]
