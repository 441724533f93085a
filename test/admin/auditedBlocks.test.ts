import { expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { AuditedBlocksLive } from "../../src/admin/AuditedBlocks.ts"
import { Audit } from "../../src/admin/store/Audit.ts"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { Blocks } from "../../src/guardrails/Blocks.ts"
import { adjust, settled } from "../sql/clock.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const block = (requestId: string, given: { readonly key?: string; readonly reason?: string } = {}) => ({
  guardrail: "pii",
  on: "input" as const,
  family: "chat",
  model: "house",
  requestId,
  caller: { account: AccountId.make("team-a"), key: KeyId.make(given.key ?? "key_1") },
  reason: given.reason
})

describeOnEach("what guardrails block", () => {
  it.scoped("has an entry at once, and one for all that follows within the hour", () =>
    Effect.gen(function* () {
      const stored = yield* Layer.build(Audit.Default.pipe(Layer.provideMerge(database())))
      const { list } = yield* Effect.provide(Audit, stored)
      const scope = yield* Scope.make()
      const built = yield* Scope.extend(Effect.provide(Layer.build(AuditedBlocksLive), stored), scope)
      const { blocked } = yield* Effect.provide(Blocks, built)
      const entries = Effect.map(Effect.zipRight(settled, list({ limit: 100 })), (all) => all.toReversed())
      yield* settled

      blocked(block("req_1", { reason: "EMAIL_ADDRESS" }))
      expect(yield* entries).toMatchObject([
        {
          actor: "guardrail:pii",
          action: "guardrail.block",
          target: "key_1",
          account: "team-a",
          after: { blocked: 1, on: "input", models: ["house"], requests: ["req_1"], reasons: ["EMAIL_ADDRESS"] }
        }
      ])

      for (let n = 2; n <= 5_000; n++) blocked(block(`req_${n}`))
      blocked(block("req_other", { key: "key_2" }))
      yield* adjust("59 minutes")
      expect(yield* entries).toMatchObject([{}, { target: "key_2", after: { blocked: 1 } }])
      yield* adjust("1 minute")
      const all = yield* entries
      expect(all).toMatchObject([{}, {}, { target: "key_1", after: { blocked: 4_999, reasons: [] } }])
      expect(all[2]).toHaveProperty("after.requests.length", 10)

      // An hour without a block ends it: the next one is told at once.
      yield* adjust("2 hours")
      expect(yield* entries).toHaveLength(3)
      blocked(block("req_next"))
      expect(yield* entries).toHaveLength(4)

      // What waits for its hour is told when the gateway ends.
      blocked(block("req_last"))
      expect(yield* entries).toHaveLength(4)
      yield* Scope.close(scope, Exit.void)
      expect((yield* entries)[4]).toMatchObject({ after: { blocked: 1, requests: ["req_last"] } })
    })
  )
})
