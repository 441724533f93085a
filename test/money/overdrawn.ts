import { Database } from "bun:sqlite"

/**
 * Watches a gateway's database from inside: a trigger notes every state of an account whose balance is below zero, between
 * any two statements. With SQLite, the holds of requests are in memory alone: watch `/v1/balance` too.
 *
 * @param database the file of SQLite, or the address of Postgres
 */
export const watchOverdrawn = async (database: string) => {
  if (database.startsWith("postgres")) return onPostgres(database)
  const run = <A>(use: (db: Database) => A): A => {
    const db = new Database(database)
    try {
      db.exec("PRAGMA busy_timeout = 10000")
      return use(db)
    } finally {
      db.close()
    }
  }
  run((db) => {
    db.exec("CREATE TABLE overdrawn (account TEXT, left_nano_usd BIGINT)")
    db.exec(`CREATE TRIGGER accounts_overdrawn AFTER UPDATE ON accounts
      WHEN NEW.granted_nano_usd - NEW.settled_nano_usd
        - (SELECT COALESCE(SUM(nano_usd), 0) FROM holds WHERE account_id = NEW.id) < 0
      BEGIN INSERT INTO overdrawn VALUES (NEW.id, NEW.granted_nano_usd - NEW.settled_nano_usd); END`)
  })
  return {
    /** Each time that an account was overdrawn. */
    found: async (): Promise<ReadonlyArray<unknown>> => run((db) => db.query("SELECT * FROM overdrawn").all())
  }
}

const onPostgres = async (url: string) => {
  const ask = async (...statements: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
    const sql = new Bun.SQL({ url, max: 1 })
    try {
      let found: ReadonlyArray<unknown> = []
      for (const text of statements) found = [...(await sql.unsafe(text))]
      return found
    } finally {
      await sql.close()
    }
  }
  await ask(
    "CREATE TABLE overdrawn (account text, left_nano_usd bigint)",
    `CREATE FUNCTION note_overdrawn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO overdrawn VALUES (NEW.id, NEW.granted_nano_usd - NEW.settled_nano_usd - NEW.held_nano_usd);
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER accounts_overdrawn AFTER INSERT OR UPDATE ON accounts FOR EACH ROW
      WHEN (NEW.granted_nano_usd - NEW.settled_nano_usd - NEW.held_nano_usd < 0) EXECUTE FUNCTION note_overdrawn()`
  )
  return { found: () => ask("SELECT * FROM overdrawn") }
}
