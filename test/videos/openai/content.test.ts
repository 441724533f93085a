import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Resolver } from "../../../src/guard/Resolver.ts"
import { FileSources } from "../../../src/files/FileSources.ts"
import { AddressGuard } from "../../../src/guard/AddressGuard.ts"
import { makeContent } from "../../../src/videos/openai/content.ts"

const answering = (mediaType: string | undefined) =>
  Layer.merge(
    FileSources.Test(),
    AddressGuard.Test({
      open: () =>
        Effect.succeed({
          status: 200,
          location: undefined,
          length: undefined,
          contentRange: undefined,
          mediaType,
          read: () => Promise.resolve(undefined)
        })
    })
  )

it.effect.each([
  [undefined, "video/mp4"],
  ["text/html", "video/mp4"],
  ["video/mp4; x=<script>", "video/mp4"],
  ["image/svg+xml", "video/mp4"],
  ["video/webm", "video/webm"]
] as const)("a file of the type %s comes as %s: none is a page of the gateway", ([sent, shown]) =>
  Effect.gen(function* () {
    const content = yield* makeContent
    const answer = yield* content("https://media.example.com/a.mp4", new Headers())
    expect(answer.headers.get("content-type")).toBe(shown)
  }).pipe(Effect.provide(answering(sent)))
)

it.effect.each(["http://10.0.0.7/a.mp4", "http://127.0.0.1:9/a.mp4"])(
  "a file at the private address %s is not found, with the setting that would let it through",
  (url) =>
    Effect.gen(function* () {
      const content = yield* makeContent
      const failure = yield* Effect.flip(content(url, new Headers()))
      expect(failure._tag).toBe("NotFound")
      expect(failure.message).toContain("the operator's setting `callbacks.allow` would let through")
    }).pipe(Effect.provide(Layer.merge(FileSources.Test(), AddressGuard.Default.pipe(Layer.provide(Resolver.Default)))))
)
