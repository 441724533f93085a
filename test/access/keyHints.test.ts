import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { describe } from "vitest"
import * as ApiKey from "../../src/access/ApiKey.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { hintShown } from "../../src/contract/callers/keyHint.ts"
import { Changes } from "../../src/sql/Changes.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const live = Layer.merge(Keys.Default, Changes.Default).pipe(Layer.provideMerge(database()))
const team = AccountId.make("team")

const make = (name: string, options: { secret?: Redacted.Redacted; expiresAtMs?: number } = {}) =>
  Effect.flatMap(Keys, (keys) => keys.create({ account: team, name, ...options }))
const found = (part: string) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { isWhole, rows } = yield* keys.ofSecret(Redacted.make(part))
    return { isWhole, names: rows.map(({ name }) => name) }
  })
const listed = (filter: object) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const rows = yield* keys.list({ all: false, offset: 0, limit: 10, ...filter }, 1_000)
    return rows.map(({ name }) => name)
  })

describeOnEach("a key whose secret has leaked", () => {
  it.effect("is found by the whole secret, by its end and by what is shown of it", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* make("leaked")
      yield* make("other")
      const text = Redacted.value(secret)
      const end = text.slice(-4)
      expect(yield* Effect.flatMap(Keys, (keys) => keys.find(id))).toMatchObject({ hint: end, hint_form: "end" })
      expect(yield* found(text)).toEqual({ isWhole: true, names: ["leaked"] })
      for (const part of [end, `…${end}`, `gw_…${end}`, `gw_****${end}`, `gw_...${end}`, text.slice(-12)]) {
        expect(yield* found(part)).toEqual({ isWhole: false, names: ["leaked"] })
      }
      expect(yield* found(ApiKey.generate())).toEqual({ isWhole: false, names: [] })
      const keys = yield* Keys
      yield* keys.replaceSecret(id, ApiKey.generate())
      expect((yield* found(text)).names).toEqual([])
    }).pipe(Effect.provide(live))
  )

  it.effect("is found by the hint that an older gateway stored", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* make("old")
      const text = Redacted.value(secret)
      const hint = text.slice(-10, -6)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE keys SET hint = ${hint}, hint_form = 'middle' WHERE id = ${id}`
      for (const part of [hint, `…${hint}……`, `gw_…${hint}……`, text.slice(-20), text.slice(0, -3)]) {
        expect((yield* found(part)).names).toEqual(["old"])
      }
      expect((yield* found(text.slice(-4))).names).toEqual([])
      expect((yield* found(`…${hint}`)).names).toEqual([])
    }).pipe(Effect.provide(live))
  )

  it.effect("is found by its whole secret alone where that was chosen", () =>
    Effect.gen(function* () {
      const secret = "chosen-by-an-operator-0123456789"
      const { id } = yield* make("chosen", { secret: Redacted.make(secret) })
      expect(yield* Effect.flatMap(Keys, (keys) => keys.find(id))).toMatchObject({ hint: "" })
      expect(yield* found(secret)).toEqual({ isWhole: true, names: ["chosen"] })
      expect((yield* found("6789")).names).toEqual([])
    }).pipe(Effect.provide(live))
  )
})

describeOnEach("lists of keys", () => {
  it.effect("show those of a state, or with a text in their id, name or account", () =>
    Effect.gen(function* () {
      const { id } = yield* make("Revoked 100%")
      yield* make("active")
      yield* make("expired", { expiresAtMs: 500 })
      const keys = yield* Keys
      yield* keys.revoke(id)
      expect(yield* listed({})).toEqual(["active"])
      expect(yield* listed({ status: "expired" })).toEqual(["expired"])
      expect(yield* listed({ status: "revoked" })).toEqual(["Revoked 100%"])
      expect(yield* listed({ all: true, search: "0%" })).toEqual(["Revoked 100%"])
      expect(yield* listed({ all: true, search: "revoked" })).toEqual(["Revoked 100%"])
      expect(yield* listed({ all: true, search: id.slice(4) })).toEqual(["Revoked 100%"])
      expect(yield* listed({ all: true, search: "1__%" })).toEqual([])
      expect((yield* listed({ all: true, search: "TEAM" })).length).toBe(3)
    }).pipe(Effect.provide(live))
  )
})

describe("a hint", () => {
  it("is shown with its place", () => {
    expect(hintShown({ text: "wxyz", form: "end" })).toBe("…wxyz")
    expect(hintShown({ text: "abcd", form: "middle" })).toBe("…abcd……")
    expect(hintShown({ text: "", form: "end" })).toBe("")
  })

  it("is not read from less than four characters", () => {
    for (const text of ["", "abc", "…", "…abc", "gw_…", "***"]) {
      expect(ApiKey.hintsOf(text).filter(({ form }) => form === "end")).toEqual([])
    }
  })
})
