import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Documents } from "../../src/documents/Documents.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import { Resolver } from "../../src/guard/Resolver.ts"
import { sandboxModels, SandboxTextUpstreams } from "../../src/sandbox/SandboxText.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { conversation } from "../generation/conversations.ts"
import { generated } from "../upstreams/generated.ts"
import { textIn } from "./run.ts"

const Live = SandboxTextUpstreams.pipe(
  Layer.provide(AddressGuard.Default),
  Layer.provide(Documents.Default),
  Layer.provide(Resolver.Default)
)

describe("SandboxTextUpstreams", () => {
  it.effect("serves the upstream that its models run on", () =>
    Effect.gen(function* () {
      const upstreams = yield* TextUpstreams
      for (const model of sandboxModels) {
        for (const route of model.routes) expect(upstreams.get(route.upstream)?.name).toBe("sandbox")
      }
    }).pipe(Effect.provide(Live))
  )

  it.effect("does not connect to a caller's address that is not public", () =>
    Effect.gen(function* () {
      let connections = 0
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => Bun.serve({ port: 0, fetch: () => new Response(String(connections++)) })),
        (server) => Effect.promise(() => server.stop(true))
      )
      const upstream = Option.fromNullable((yield* TextUpstreams).get("sandbox")).pipe(Option.getOrThrow)
      const url = `http://127.0.0.1:${server.port}/cat.png`
      const generation = yield* generated(
        upstream,
        conversation({
          items: [
            {
              type: "message",
              role: "user",
              content: [{ type: "image", source: { type: "url", url }, detail: "auto" }]
            }
          ]
        }),
        { upstreamModel: "sandbox-text", stream: false, requestId: "r" }
      )
      const events = generation.next()
      expect(Array.isArray(events) && textIn(events)).toContain(`${url}, which I could not read`)
      expect(connections).toBe(0)
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})
