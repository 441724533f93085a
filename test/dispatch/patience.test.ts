import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import type { Batch } from "../../src/generation/Generation.ts"
import { parse } from "../../src/http/body.ts"
import type { Parsed } from "../../src/http/body.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import type { GenerationOptions } from "../../src/dispatch/GenerationOptions.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { layer } from "../../src/sql/Database.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation, said } from "../generation/conversations.ts"

let isPatient: boolean | undefined
let heard: Conversation | undefined
const upstream: TextUpstream = {
  name: "fake",
  generate: (asked, how) => {
    ;({ isPatient } = how)
    heard = asked
    const batches: Array<Batch> = [[{ type: "finished", reason: "stop", stopSequence: null }]]
    return runFuture(how.runtime, Effect.succeed({ next: () => batches.shift(), cancel: () => {} }))
  }
}

const route = { upstream: "fake", model: "m" }
const model = { kind: "text" as const, contextTokens: undefined, ownedBy: "test" }
const live = Dispatch.Default.pipe(
  Layer.provideMerge(Layer.merge(Ledger.Default, Limits.Default)),
  Layer.provideMerge(layer({ url: "sqlite::memory:", exclusive: true })),
  Layer.provide(
    Layer.mergeAll(
      Layer.succeed(
        Catalogue,
        new Map([
          ["one", servedModel({ ...model, id: "one", routes: [route] })],
          ["two", servedModel({ ...model, id: "two", routes: [route, { ...route, model: "other" }] })]
        ])
      ),
      Layer.succeed(TextUpstreams, new Map([["fake", upstream]]))
    )
  )
)

const caller = Caller.unrestricted("team", "key_1")
const setAside = {
  charge: () => ({ extend: () => Effect.succeed(true), settle: () => undefined, release: () => {}, cut: () => {} }),
  routes: undefined
}

it.effect("a body's text is let go of once an upstream has taken it", () =>
  Effect.gen(function* () {
    const { generate } = yield* Dispatch
    const { body, bodyText } = parse(`{"long": ["${"x".repeat(4_096)}", 1.0]}`) as Parsed
    expect(bodyText?.write(body)).toContain("1.0")
    const asked = conversation({ model: "one", items: [said("user", "hi")] })
    const generation = yield* toEffect(() => generate(caller, asked, incoming({ body, bodyText }), { stream: true }))
    expect(bodyText?.write(body)).toBe(JSON.stringify(body))
    generation.cancel("hang-up")
  }).pipe(Effect.provide(live))
)

it.effect("a translated request's items are computed once, however often its upstream reads them", () =>
  Effect.gen(function* () {
    const { generate } = yield* Dispatch
    let computed = 0
    const asked: Conversation = {
      ...conversation({ model: "one" }),
      get items() {
        computed++
        return [said("user", "hi")]
      }
    }
    const generation = yield* toEffect(() => generate(caller, asked, incoming(), { stream: true }))
    expect([heard?.items, heard?.items].map((items) => items?.length)).toEqual([1, 1])
    expect(computed).toBe(1)
    generation.cancel("hang-up")
  }).pipe(Effect.provide(live))
)

describe("an upstream's beginning may be held back", () => {
  const cases: ReadonlyArray<readonly [string, string, GenerationOptions, boolean]> = [
    ["not where a stream's model has one route", "one", { stream: true }, false],
    ["where it has two", "two", { stream: true }, true],
    ["without a stream's reader", "one", { stream: false }, true],
    ["with a hold placed before: no client waits", "one", { stream: true, prepaid: setAside }, true]
  ]
  for (const [what, id, options, expected] of cases) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { generate } = yield* Dispatch
        const asked = conversation({ model: id, items: [said("user", "hi")] })
        const generation = yield* toEffect(() => generate(caller, asked, incoming(), options))
        generation.cancel("hang-up")
        expect(isPatient).toBe(expected)
      }).pipe(Effect.provide(live))
    )
  }
})
