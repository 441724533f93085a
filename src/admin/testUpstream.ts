import { Effect } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { NotFound } from "../contract/Failure.ts"
import { listModels } from "../upstreams/listModels.ts"
import { protocolOf } from "../upstreams/protocols.ts"
import type { UpstreamTest } from "./WatchApi.ts"

/** Asks an upstream what it serves, without a word to a model. */
export const makeTestUpstream = Effect.map(
  Configuration,
  ({ current }) =>
    (name: string): Effect.Effect<typeof UpstreamTest.Type, NotFound> =>
      Effect.suspend(() => {
        const entry = current().value.upstreams?.[name]
        if (entry === undefined)
          return Effect.fail(new NotFound({ param: null, message: `no upstream "${name}" is configured` }))
        const begun = performance.now()
        const told = (models: ReadonlyArray<string> | null, error: string | null): typeof UpstreamTest.Type => ({
          object: "upstream_test",
          name,
          ok: error === null,
          ms: Math.round(performance.now() - begun),
          models,
          error
        })
        if (protocolOf(entry.protocol).kind === "video") {
          return Effect.succeed(told(null, "an upstream of videos has no list of models to ask for"))
        }
        return Effect.match(listModels(entry), {
          onFailure: ({ message }) => told(null, message),
          onSuccess: (models) => told(models, null)
        })
      })
)
