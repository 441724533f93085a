import { Effect, Either } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { surfaceOf } from "../config/providers/surfaces.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import { credentialsOf } from "../upstreams/configured/fromSettings.ts"
import { listModels } from "../upstreams/calls/listModels.ts"
import { protocolOf } from "../upstreams/protocols.ts"
import type { UpstreamTest } from "./WatchApi.ts"

/** Asks an upstream for its list of models; no model is called. */
export const makeTestUpstream = Effect.map(
  Configuration,
  ({ current }) =>
    (name: string): Effect.Effect<typeof UpstreamTest.Type, NotFound> =>
      Effect.suspend(() => {
        const entry = current().value.upstreams?.[name]
        if (entry === undefined)
          return Effect.fail(new NotFound({ param: null, message: `no upstream "${name}" is configured` }))
        const startedMs = performance.now()
        const result = (models: ReadonlyArray<string> | null, error: string | null): typeof UpstreamTest.Type => ({
          object: "upstream_test",
          name,
          ok: error === null,
          ms: Math.round(performance.now() - startedMs),
          models,
          error
        })
        const surface = Either.getOrUndefined(surfaceOf(entry))
        if (surface === undefined || protocolOf(surface.protocol).kind === "video") {
          return Effect.succeed(result(null, "a video upstream has no list of models"))
        }
        return Effect.match(
          Effect.flatMap(credentialsOf(surface), (auth) => listModels(surface, auth)),
          {
            onFailure: ({ message }) => result(null, message),
            onSuccess: (models) =>
              result(
                models.map(({ id }) => id),
                null
              )
          }
        )
      })
)
