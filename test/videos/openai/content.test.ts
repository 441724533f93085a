import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
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
