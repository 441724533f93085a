import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Deliveries and events without a reference to `tasks`, because a task store may keep tasks elsewhere. A trigger
 * removes them with their task, whichever version of the gateway deletes it.
 */
export const taskReferences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) })
})

const onPostgres = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql`ALTER TABLE deliveries DROP CONSTRAINT deliveries_task_id_fkey`
    yield* sql`ALTER TABLE response_events DROP CONSTRAINT response_events_response_id_fkey`
    yield* sql.unsafe(`CREATE FUNCTION remove_with_task() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      DELETE FROM deliveries WHERE task_id = OLD.id;
      DELETE FROM response_events WHERE response_id = OLD.id;
      RETURN NULL;
    END $$`)
    yield* sql`CREATE TRIGGER tasks_removed AFTER DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION remove_with_task()`
  })

/** SQLite can't drop constraints, so the tables are rebuilt. */
const onSqlite = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql`CREATE TABLE deliveries_free (
      id TEXT PRIMARY KEY,
      task_id TEXT NOT NULL,
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
    )`
    yield* sql`INSERT INTO deliveries_free SELECT id, task_id, account_id, sequence, status, terminal, url, host, body,
      state, changed_at, next_at, tries, redelivery, attempts, delivered_at, lease_token, lease_owner, trace
      FROM deliveries`
    yield* sql`DROP TABLE deliveries`
    yield* sql`ALTER TABLE deliveries_free RENAME TO deliveries`
    yield* sql`CREATE UNIQUE INDEX deliveries_task ON deliveries (task_id, sequence)`
    yield* sql`CREATE INDEX deliveries_due ON deliveries (host, next_at) WHERE next_at IS NOT NULL`
    yield* sql`CREATE INDEX deliveries_leased ON deliveries (lease_owner) WHERE lease_token IS NOT NULL`
    yield* sql`CREATE INDEX deliveries_changed_at ON deliveries (changed_at, id)`
    yield* sql`CREATE INDEX deliveries_account ON deliveries (account_id, changed_at, id)`
    yield* sql`CREATE TABLE response_events_free (
      response_id TEXT NOT NULL,
      last INTEGER NOT NULL,
      frames TEXT NOT NULL,
      PRIMARY KEY (response_id, last)
    )`
    yield* sql`INSERT INTO response_events_free SELECT response_id, last, frames FROM response_events`
    yield* sql`DROP TABLE response_events`
    yield* sql`ALTER TABLE response_events_free RENAME TO response_events`
    yield* sql`CREATE TRIGGER tasks_removed AFTER DELETE ON tasks BEGIN
      DELETE FROM deliveries WHERE task_id = OLD.id;
      DELETE FROM response_events WHERE response_id = OLD.id;
    END`
  })
