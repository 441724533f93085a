import { Effect, Redacted } from "effect"
import type { JsonObject } from "../../src/contract/fields.ts"
import { Future } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { defaultDeadlines } from "../../src/upstreams/calls/client.ts"
import { protocols } from "../../src/upstreams/protocols.ts"
import type { PassthroughRequest } from "../../src/upstreams/Upstream.ts"
import type { fakeUpstream } from "./fakes/fakeUpstream.ts"
import { readsNothing } from "./noFiles.ts"

export type Native = "anthropic-messages" | "openai-responses"

export const forward = (
  protocol: Native,
  up: ReturnType<typeof fakeUpstream>,
  body: JsonObject,
  over: { readonly stream?: boolean; readonly headers?: Record<string, string>; readonly upstreamModel?: string } = {}
) => {
  const upstream = protocols[protocol].upstream({
    name: "up",
    baseUrl: up.url + (protocol === "openai-responses" ? "/v1" : ""),
    apiKey: Redacted.make("sk-ours"),
    headers: {},
    deadlines: defaultDeadlines,
    ...readsNothing
  })
  const seen: Array<JsonObject> = []
  const request: PassthroughRequest = {
    body,
    headers: new Headers(over.headers),
    rewrite: (answer) => {
      const renamed = { ...answer, model: "caller-model", id: "id_ours" }
      seen.push(renamed)
      return renamed
    }
  }
  const how = { upstreamModel: over.upstreamModel ?? "m-1", stream: over.stream ?? true, requestId: "req_1" }
  return Effect.flatMap(Effect.runtime(), (runtime) =>
    toEffect(() => {
      const started =
        upstream.passthrough?.send(request, { ...how, runtime }, () => Future.die("it is offered")) ??
        Future.die("no native dialect")
      return started.map((generation) => ({ generation, seen }))
    })
  )
}

export const events = (running: Effect.Effect<{ generation: { next: () => unknown } }, unknown>) =>
  Effect.flatMap(running, ({ generation }) =>
    Effect.promise(async () => {
      const all: Array<GenerationEvent> = []
      for (;;) {
        const batch = (await generation.next()) as ReadonlyArray<GenerationEvent> | undefined
        if (batch === undefined) return all
        all.push(...batch)
      }
    })
  )
