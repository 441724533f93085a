import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { auditRecordOf } from "../../src/admin/auditRecordOf.ts"
import { Audit } from "../../src/admin/store/Audit.ts"
import { actorNamed } from "../../src/contract/callers/Acting.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { layer as database } from "../../src/sql/Database.ts"
import { describeOnEach } from "../sql/engines.ts"

const row = {
  id: 1,
  time: "2026-01-31T12:00:00.000Z",
  actor: "cli:ann",
  via: "cli:ann",
  action: "key.update",
  target: "key_1"
}
const key = {
  object: "key",
  id: "key_1",
  name: "ci",
  account: "team-a",
  version: 1,
  limits: { requests_per_minute: 60 }
}

describe("an entry of the audit log", () => {
  it("names the key, its account and what was changed", () => {
    const after = { ...key, version: 2, name: "deploy", limits: { requests_per_minute: null } }
    expect(auditRecordOf({ ...row, before: key, after })).toMatchObject({
      target_name: "deploy",
      account: "team-a",
      changes: [
        { field: "name", before: "ci", after: "deploy" },
        { field: "limits.requests_per_minute", before: 60, after: null }
      ]
    })
  })

  it("of a new record has what is set", () => {
    const made = { ...key, models: ["*"], upstreams: null, choose_route: false, budgets: [], created_at: row.time }
    expect(auditRecordOf({ ...row, action: "key.create", before: null, after: made }).changes).toEqual([
      { field: "name", before: null, after: "ci" },
      { field: "account", before: null, after: "team-a" },
      { field: "limits.requests_per_minute", before: null, after: 60 },
      { field: "models", before: null, after: ["*"] }
    ])
  })

  it("tells money once, and of the configuration every field but the version", () => {
    const credited = (usd: string) => ({ account: { granted: { nano_usd: Number(usd) * 1e9, usd } } })
    const credit = { ...row, action: "account.credit", target: "team-a", before: credited("1"), after: credited("2") }
    expect(auditRecordOf(credit)).toMatchObject({
      target_name: null,
      account: "team-a",
      changes: [{ field: "account.granted.usd", before: "1", after: "2" }]
    })
    const applied = { "upstreams.b.guardrail.id": "g-2", "upstreams.b.guardrail.version": "2", version: 4 }
    const { account, changes } = auditRecordOf({
      ...row,
      action: "configuration.apply",
      target: "configuration",
      before: { "upstreams.b.guardrail.id": "g-1", "upstreams.b.guardrail.version": null, version: 3 },
      after: applied
    })
    expect([account, changes.map(({ field }) => field)]).toEqual([
      null,
      ["upstreams.b.guardrail.id", "upstreams.b.guardrail.version"]
    ])
  })
})

describeOnEach("the audit log", (engine) => {
  it.scopedLive("is filtered by who, what, of what, whose, and when", () =>
    Effect.gen(function* () {
      const url = yield* engine.url
      const parts = Layer.merge(Audit.Default, Keys.Default).pipe(Layer.provide(database({ url, exclusive: false })))
      yield* Effect.gen(function* () {
        const { find, list, record } = yield* Audit
        const keys = yield* Keys
        const { id: keyId } = yield* keys.create({ account: AccountId.make("configuration"), name: "k" })
        const write = (actor: string, action: string, target: string) =>
          record({ actor: actorNamed(actor), action, target, before: null, after: { name: "k" } })
        yield* write("cli:ann", "account.create", "configuration")
        yield* write("session_1", "key.create", keyId)
        yield* write("file:host:/etc/gateway.yaml", "configuration.reload", "configuration")
        yield* write("session_1", "session.open", "session_1")
        const actions = (filter: Partial<Parameters<typeof list>[0]>) =>
          Effect.map(list({ limit: 10, ...filter }), (found) => found.map(({ action }) => action))

        expect(yield* actions({})).toEqual(["session.open", "configuration.reload", "key.create", "account.create"])
        expect(yield* actions({ sessions: false })).toEqual(["configuration.reload", "key.create", "account.create"])
        // An account may be called like the configuration.
        expect(yield* actions({ account: "configuration" })).toEqual(["key.create", "account.create"])
        expect(yield* actions({ action: "configuration" })).toEqual(["configuration.reload"])
        expect(yield* actions({ action: "account.c" })).toEqual(["account.create"])
        expect(yield* actions({ actor: "session", sessions: false })).toEqual(["key.create"])
        expect(yield* actions({ actor: "SESSION" })).toEqual([])
        expect(yield* actions({ target: keyId, account: "another" })).toEqual([])
        const [newest, , , oldest] = yield* list({ limit: 10 })
        const [sinceMs, untilMs] = [Date.parse(newest?.time ?? "") + 1, Date.parse(oldest?.time ?? "") - 1]
        expect([yield* actions({ sinceMs }), yield* actions({ untilMs })]).toEqual([[], []])
        expect(yield* actions({ sinceMs: untilMs, untilMs: sinceMs })).toHaveLength(4)
        expect(yield* find(newest?.id ?? 0)).toEqual(newest)
        expect(yield* Effect.flip(find(999))).toMatchObject({ message: "no entry 999 in the audit log" })
      }).pipe(Effect.provide(parts))
    })
  )
})
