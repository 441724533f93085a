import { plainBudget } from "../../src/contract/budgets/Budget.ts"
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Access } from "../../src/access/Access.ts"
import { DeclaredKeys } from "../../src/access/DeclaredKeys.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { LastUsed } from "../../src/access/LastUsed.ts"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { available } from "../../src/ledger/Balances.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { eventually, settled } from "../tasks/engine.ts"
import { adjust } from "../sql/clock.ts"

const live = Layer.mergeAll(Access.Default, Keys.Default, DeclaredKeys.Default, Ledger.Default).pipe(
  Layer.provideMerge(database())
)

const file = (yaml: string) => Effect.runSync(readDocument("gateway.yaml", yaml, { env: {} }, GatewayFile))
const a = "team-a-secret-0123456789abcdef"
const b = "team-b-secret-0123456789abcdef"
const declare = (...keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const declared = yield* DeclaredKeys
    const found = file(`keys: [${keys.join(", ")}]`)
    yield* declared.check(found)
    yield* declared.store(found.value)
    // Other parts of the process hear of it.
    yield* adjust("1 second")
  })
const who = (secret: string) =>
  Effect.flatMap(Access, (access) => access.authenticate(new Headers({ authorization: `Bearer ${secret}` })))
const balance = (account: string) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.balance(AccountId.make(account)), available))
const grants = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ nano_usd: number }>`SELECT nano_usd FROM grants ORDER BY id`, (rows) =>
    rows.map((row) => row.nano_usd)
  )
)

describeOnEach("keys of the configuration file", () => {
  it.effect("open an account of their own with what the file gives them", () =>
    Effect.gen(function* () {
      yield* declare(
        `{ name: a, secret: ${a}, models: ["claude-*"], balance_usd: 5, limits: { requests_per_minute: 60 } }`
      )
      expect(yield* who(a)).toMatchObject({ account: "a", models: ["claude-*"], keyLimits: { requestsPerMinute: 60 } })
      expect(yield* balance("a")).toBe(5_000_000_000)
    }).pipe(Effect.provide(live))
  )

  it.effect("have the budget and the expiry of the file, until the file has them no more", () =>
    Effect.gen(function* () {
      yield* declare(`{ name: a, secret: ${a}, budgets: [{ usd: 50, per: month }], expires_at: 1970-01-01 }`)
      expect((yield* Effect.flip(who(a))).message).toContain("expired")
      yield* declare(`{ name: a, secret: ${a}, budgets: [{ usd: 50, per: month }] }`)
      expect((yield* who(a)).keyBudgets).toEqual([plainBudget(50_000_000_000, "month")])
      yield* declare(`{ name: a, secret: ${a} }`)
      expect((yield* who(a)).keyBudgets).toBeUndefined()
    }).pipe(Effect.provide(live))
  )

  it.effect("are the same keys after a restart, and their balance is granted once", () =>
    Effect.gen(function* () {
      const key = `{ name: a, secret: ${a}, balance_usd: 5 }`
      yield* declare(key)
      const { key: id } = yield* who(a)
      yield* declare(key)
      yield* declare(key)
      expect((yield* who(a)).key).toBe(id)
      expect(yield* grants).toEqual([5_000_000_000])
    }).pipe(Effect.provide(live))
  )

  it.effect("have the difference granted or withdrawn when the figure changes", () =>
    Effect.gen(function* () {
      for (const usd of [5, 7.5, 1]) yield* declare(`{ name: a, secret: ${a}, balance_usd: ${usd} }`)
      // Left out, it is no longer the file's business.
      yield* declare(`{ name: a, secret: ${a} }`)
      expect(yield* grants).toEqual([5_000_000_000, 2_500_000_000, -6_500_000_000])
      expect(yield* balance("a")).toBe(1_000_000_000)
    }).pipe(Effect.provide(live))
  )

  it.effect("are revoked when they leave the file, and open again when they come back", () =>
    Effect.gen(function* () {
      yield* declare(`{ name: a, secret: ${a} }`, `{ name: b, secret: ${b}, account: a }`)
      expect((yield* who(b)).account).toBe("a")
      yield* declare(`{ name: a, secret: ${a} }`)
      expect(yield* Effect.flip(who(b))).toMatchObject({ message: "Invalid API key: this key was revoked" })
      yield* declare(`{ name: a, secret: ${a} }`, `{ name: b, secret: ${b}, account: a }`)
      expect((yield* who(b)).account).toBe("a")
    }).pipe(Effect.provide(live))
  )

  it.effect("may be renamed, get another secret, and change places", () =>
    Effect.gen(function* () {
      yield* declare(`{ name: a, secret: ${a} }`, `{ name: b, secret: ${b} }`)
      const [first, second] = [yield* who(a), yield* who(b)]
      yield* declare(`{ name: a, secret: ${b} }`, `{ name: b, secret: ${a} }`)
      expect([(yield* who(b)).key, (yield* who(a)).key]).toEqual([first.key, second.key])
      yield* declare(`{ name: c, secret: ${b} }`)
      expect(yield* who(b)).toMatchObject({ key: first.key, account: "c" })
      yield* declare(`{ name: c, secret: ${a}2 }`)
      expect((yield* who(`${a}2`)).key).toBe(first.key)
      expect((yield* Effect.flip(who(b))).message).toContain("unknown")
    }).pipe(Effect.provide(live))
  )

  it.effect("stay revoked when a person revoked them, until they get another secret", () =>
    Effect.gen(function* () {
      yield* declare(`{ name: a, secret: ${a} }`)
      const keys = yield* Keys
      yield* keys.revoke((yield* who(a)).key)
      yield* declare(`{ name: a, secret: ${a} }`)
      expect((yield* Effect.flip(who(a))).message).toContain("revoked")
      yield* declare(`{ name: a, secret: ${b} }`)
      expect((yield* who(b)).account).toBe("a")
    }).pipe(Effect.provide(live))
  )

  it.effect("that contradict each other, or keys made otherwise, are refused with their line and no secret", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const made = yield* keys.create({ account: AccountId.make("x"), name: "x", secret: Redacted.make(b) })
      const refusal = (yaml: string) =>
        Effect.map(
          Effect.flatMap(DeclaredKeys, (declared) => Effect.flip(declared.check(file(yaml)))),
          ({ message }) => message
        )
      const one = `keys:\n- { name: a, secret: ${a}, balance_usd: 1 }\n`
      expect(yield* refusal(`${one}- { name: a, secret: ${b} }`)).toBe(
        'gateway.yaml:3: keys[1].name: there is another key "a" above'
      )
      expect(yield* refusal(`${one}- { name: b, secret: ${a} }`)).toBe(
        'gateway.yaml:3: keys[1].secret: it is the secret of "a" too'
      )
      expect(yield* refusal(`${one}- { name: b, account: a, secret: ${b}, balance_usd: 2 }`)).toBe(
        'gateway.yaml:3: keys[1].balance_usd: "a" gives the same account another balance'
      )
      expect(yield* refusal(`${one}- { name: b, secret: ${b} }`)).toBe(
        `gateway.yaml:3: keys[1].secret: this secret is that of ${made.id}, which is not of this file`
      )
    }).pipe(Effect.provide(live))
  )
})

describeOnEach("when a key was last used", () => {
  it.effect("is written a little later, once a minute at most", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* Keys
      const lastUsed = yield* LastUsed
      const { id } = yield* keys.create({ account: AccountId.make("x"), name: "x" })
      const usedAt = Effect.map(
        sql<{ at: number | null }>`SELECT last_used_at AS at FROM keys`,
        (rows) => rows[0]?.at ?? null
      )
      lastUsed.note(id, 1_000)
      expect(yield* usedAt).toBeNull()
      yield* adjust("5 seconds")
      expect(yield* eventually(usedAt, (at) => at !== null)).toBe(1_000)
      lastUsed.note(id, 60_999)
      yield* adjust("5 seconds")
      yield* settled
      expect(yield* usedAt).toBe(1_000)
      lastUsed.note(id, 61_000)
      yield* adjust("5 seconds")
      expect(yield* eventually(usedAt, (at) => at !== 1_000)).toBe(61_000)
    }).pipe(Effect.provide(LastUsed.Default.pipe(Layer.provideMerge(Keys.Default), Layer.provideMerge(database()))))
  )

  it.effect("is noted at its use, and written when the process ends", () =>
    Effect.gen(function* () {
      yield* declare(`{ name: a, secret: ${a} }`)
      yield* Effect.provide(who(a), Access.Default)
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT last_used_at FROM keys`).toEqual([{ last_used_at: 1_000 }])
    }).pipe(Effect.provide(Layer.merge(DeclaredKeys.Default, Keys.Default).pipe(Layer.provideMerge(database()))))
  )
})
