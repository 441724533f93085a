import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { AccountId, Caller } from "../../src/contract/callers/Caller.ts"
import { UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import { fold } from "../../src/pipeline/fold.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import type { Batch, Generation } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { layer } from "../../src/sql/Database.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation as bare, said } from "../generation/conversations.ts"

export const team = AccountId.make("team")
export const caller = Caller.unrestricted(team, "key_1")
const outputTokens = 3

/** The upstream says what it was asked for; `behaviour` is the model's name there. */
export const asked: Array<Conversation> = []

const upstream: TextUpstream = {
  name: "fake",
  generate: (conversation, { runtime, upstreamModel }) => {
    asked.push(conversation)
    const answer = Effect.suspend((): Effect.Effect<Generation, UpstreamFailed> => {
      if (upstreamModel === "refuses") return Effect.fail(new UpstreamFailed({}))
      if (upstreamModel === "waits") return Effect.never
      const batches: Array<Batch | Promise<Batch>> = [
        [{ type: "text-delta", text: "one two three" }],
        upstreamModel === "stalls"
          ? new Promise<Batch>(() => {})
          : [
              { type: "usage", usage: { ...noUsage, inputTokens: 1, outputTokens } },
              { type: "finished", reason: "stop", stopSequence: null }
            ]
      ]
      const started = Effect.succeed({ next: () => batches.shift(), cancel: () => {} })
      return upstreamModel === "answers" ? started : Effect.zipRight(Effect.promise(turns(3)), started)
    })
    return runFuture(runtime, answer)
  }
}

/** Lets microtasks run. */
export const turns = (n: number) => async () => {
  for (let i = 0; i < n; i++) await Promise.resolve()
}

/** A dollar a token of output. */
const price = fromUsd({ output: 1_000_000 })

/** And a cent a token of input, which the upstream tells is one. */
const readingPrice = fromUsd({ input: 10_000, output: 1_000_000 })

const model = (id: string) => ({
  id,
  kind: "text" as const,
  routes: [{ upstream: "fake", model: id }],
  contextTokens: undefined,
  ownedBy: "test",
  price
})

const { price: _, ...unpricedModel } = model("answers")
const ownRoute = { upstream: "fake", model: "answers" }

const catalogue = [
  ...["answers", "refuses", "waits", "stalls"].map(model),
  { ...model("answers"), id: "held", holdOutputTokens: 2 },
  { ...model("answers"), id: "bounded", maxOutputTokens: 4 },
  ...["waits", "stalls"].map((id) => ({ ...model(id), id: `reading ${id}`, price: readingPrice })),
  { ...unpricedModel, id: "unpriced" },
  { ...unpricedModel, id: "allowed", unpriced: "allow" as const },
  { ...unpricedModel, id: "own", routes: [{ ...ownRoute, unpriced: "allow" as const }] },
  { ...unpricedModel, id: "bought", unpriced: "allow" as const, routes: [{ ...ownRoute, unpriced: "refuse" as const }] }
]

export const live = Layer.merge(Dispatch.Default, Grants.Default).pipe(
  Layer.provideMerge(Layer.merge(Ledger.Default, Limits.Default)),
  Layer.provideMerge(layer({ url: "sqlite::memory:", exclusive: true })),
  Layer.provide(
    Layer.mergeAll(
      Layer.succeed(Catalogue, new Map(catalogue.map((one) => [one.id, servedModel(one)]))),
      Layer.succeed(TextUpstreams, new Map([["fake", upstream]]))
    )
  )
)

export const conversation = (model: string, more: Partial<Conversation> = {}) =>
  bare({ model, items: [said("user", "count to three")], maxOutputTokens: outputTokens, ...more })

const machine = { initial: 0, step: (n: number) => [n + 1, []] as const }

export const run = (request: Conversation, who: Caller = caller) =>
  Effect.flatMap(Dispatch, (models) =>
    toEffect(() =>
      models
        .generate(who, request, incoming(), { stream: false })
        .flatMap((generation) => fold({ generation, machine }))
    )
  )

export const account = (dollars: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const grants = yield* Grants
    yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
    yield* grants.credit(team, nanoUsd(dollars), "test")
  })
