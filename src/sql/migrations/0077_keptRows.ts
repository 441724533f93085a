import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Rows of `usage` and `audit` may be deleted once they are older than `upkeep` says: `usage_before` and `audit_before` are
 * times in Unix ms, `usage_removed` and `audit_removed` count the rows that no entry of the audit log tells yet.
 */
export const keptRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = sql.onDialectOrElse({
    pg: () => [
      `CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF OLD.at >= COALESCE((SELECT value FROM upkeep WHERE name = TG_TABLE_NAME || '_before'), 0) THEN
          RAISE EXCEPTION '%: append-only', TG_TABLE_NAME USING ERRCODE = '23514';
        END IF;
        RETURN OLD;
      END $$`,
      ...["usage", "audit"].flatMap((table) => [
        `DROP TRIGGER ${table}_append_only ON ${table}`,
        `CREATE TRIGGER ${table}_append_only BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
        `CREATE TRIGGER ${table}_kept BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_removal()`
      ])
    ],
    orElse: () =>
      ["usage", "audit"].flatMap((table) => [
        `DROP TRIGGER ${table}_is_kept`,
        `CREATE TRIGGER ${table}_is_kept BEFORE DELETE ON ${table}
          WHEN OLD.at >= COALESCE((SELECT value FROM upkeep WHERE name = '${table}_before'), 0)
          BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`
      ])
  })
  yield* Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
})
