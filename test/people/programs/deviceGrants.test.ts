import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DeviceGrants } from "../../../src/people/programs/store/DeviceGrants.ts"
import type { DeviceGrant } from "../../../src/people/programs/store/DeviceGrants.ts"
import { database, describeOnEach } from "../../sql/engines.ts"

const later = 600_000

const grant = (name: string, address: string): DeviceGrant => ({
  hash: name,
  user_code: name,
  surface: "",
  issues: "token",
  client: "",
  address,
  state: "waiting",
  person_id: null,
  account_id: null,
  expires_at: later,
  polled_at: 0
})

/** A stranger's ten thousand grants. */
const filledFrom = (addresses: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (
      sql
    ) => sql`INSERT INTO device_grants (hash, user_code, surface, issues, client, address, state, expires_at, polled_at)
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
    SELECT 'h' || i, 'u' || i, '', 'token', '', 'stranger ' || (i % ${sql.literal(String(addresses))}), 'waiting', ${later}, 0 FROM n`
  )

describeOnEach("device grants", () => {
  it.effect("begin for everyone while a stranger at a hundred addresses takes all the room", () =>
    Effect.gen(function* () {
      const grants = yield* DeviceGrants
      yield* filledFrom(100)
      for (const name of ["ann", "ben", "cyd"]) expect(yield* grants.insert(grant(name, name), 0)).toBe(true)
      // Another of Ann's programs, and an office behind one address.
      for (let at = 0; at < 20; at++) expect(yield* grants.insert(grant(`ann ${at}`, "ann"), 0)).toBe(true)
      for (let at = 0; at < 300; at++) yield* grants.insert(grant(`more ${at}`, `stranger ${at % 100}`), 0)
      for (const name of ["ann", "ben", "cyd", "ann 19"]) expect(yield* grants.ofCode(name, 0)).toBeDefined()
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT COUNT(*) AS count FROM device_grants`).toEqual([{ count: 10_000 }])
    }).pipe(Effect.provide(DeviceGrants.Default.pipe(Layer.provideMerge(database()))))
  )

  it.effect("wait while a stranger with a network of his own goes on from ever new addresses", () =>
    Effect.gen(function* () {
      const grants = yield* DeviceGrants
      yield* filledFrom(10_000)
      const ann = { ...grant("ann", "10.0.0.1"), expires_at: later + 1 }
      expect(yield* grants.insert(ann, 0)).toBe(true)
      for (let at = 0; at < 100; at++) {
        const more = { ...grant(`more ${at}`, `stranger more ${at}`), expires_at: later + 2 }
        expect(yield* grants.insert(more, 0)).toBe(true)
      }
      expect(yield* grants.ofCode("ann", 0)).toBeDefined()
    }).pipe(Effect.provide(DeviceGrants.Default.pipe(Layer.provideMerge(database()))))
  )

  it.effect("that a person has decided about stay", () =>
    Effect.gen(function* () {
      const grants = yield* DeviceGrants
      yield* filledFrom(100)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE device_grants SET state = 'approved' WHERE address <> 'stranger 0'`
      for (let at = 0; at < 100; at++) expect(yield* grants.insert(grant(`g${at}`, `a${at}`), 0)).toBe(true)
      const approved = yield* sql`SELECT COUNT(*) AS count FROM device_grants WHERE state = 'approved'`
      expect(approved).toEqual([{ count: 9_900 }])
    }).pipe(Effect.provide(DeviceGrants.Default.pipe(Layer.provideMerge(database()))))
  )
})
