import { Layer } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { Future } from "../../src/flow/Future.ts"
import type { Batch, Generation } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { layer } from "../../src/sql/Database.ts"
import type { PassthroughEndpoint, TextUpstream } from "../../src/upstreams/Upstream.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"

export const caller = Caller.unrestricted("team", "key_1")
/** Whose web searches may not find everything. */
export const blocking: Caller = { ...caller, searchDomains: { allowed: undefined, blocked: ["spam.example"] } }
export const limited: Caller = { ...caller, keyLimits: { tokensPerMinute: 100_000 } }

const answering = (...first: Batch): Generation => {
  const batches: Array<Batch> = [
    [
      ...first,
      { type: "usage", usage: { ...noUsage, inputTokens: 1, outputTokens: 1 } },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  ]
  return { next: () => batches.shift(), cancel: () => {} }
}

/** In a request that it translates it reads everything, and says how much that was. */
const translating: TextUpstream = {
  name: "other",
  searches: true,
  generate: ({ items, tools }) =>
    Future.succeed(answering({ type: "text-delta", text: `translated ${items.length} and ${tools.length}` }))
}

/** One that speaks a family's dialect, in which it passes on the answer that is given. */
const passing = (family: PassthroughEndpoint["family"], answer: object): TextUpstream => ({
  ...translating,
  name: "own",
  passthrough: {
    family,
    send: ({ rewrite }) =>
      Future.succeed({
        ...answering({ type: "passthrough", terminal: true, text: JSON.stringify(rewrite({ ...answer })) }),
        passthrough: true as const
      })
  }
})

const model = (id: string, ...upstreams: ReadonlyArray<string>) => ({
  id,
  kind: "text" as const,
  routes: upstreams.map((upstream) => ({ upstream, model: id })),
  contextTokens: undefined,
  ownedBy: "test"
})

const catalogue = [
  model("own", "own"),
  { ...model("bounded", "own"), contextTokens: 1_000 },
  { ...model("priced", "own"), price: fromUsd({ output: 1 }) },
  model("either", "own", "other"),
  model("other", "other")
]

/** Models at an upstream that speaks the family's dialect, at one that does not, and at both. */
export const modelsInOwnDialect = (family: PassthroughEndpoint["family"], answer: object) =>
  Dispatch.Default.pipe(
    Layer.provideMerge(Layer.merge(Ledger.Default, Limits.Default)),
    Layer.provideMerge(layer({ url: "sqlite::memory:", exclusive: true })),
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(Catalogue, new Map(catalogue.map((one) => [one.id, servedModel(one)]))),
        Layer.succeed(
          TextUpstreams,
          new Map([
            ["own", passing(family, answer)],
            ["other", translating]
          ])
        )
      )
    )
  )

/** A part of a request, and how often its text was read. */
export const counted = <const T extends string>(type: T) => {
  const reads = { count: 0 }
  const part = {
    type,
    get text() {
      reads.count++
      return "Hello"
    }
  }
  return { part, reads }
}
