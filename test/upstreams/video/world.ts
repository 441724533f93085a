import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { PublicUrl } from "../../../src/config/PublicUrl.ts"
import { FileStore } from "../../../src/files/FileStore.ts"
import { KeptFiles } from "../../../src/files/KeptFiles.ts"
import { AllowedAddresses, parseAllowed } from "../../../src/guard/addresses.ts"
import { AddressGuard } from "../../../src/guard/AddressGuard.ts"
import { Resolver } from "../../../src/guard/Resolver.ts"
import type { VideoServices } from "../../../src/upstreams/videos/videoApi.ts"
import type { VideoReport, VideoUpstream } from "../../../src/upstreams/videos/VideoUpstream.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "kept-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
)

/** The services of a video upstream: files in a folder of their own, and addresses of this machine allowed. */
export const services = Layer.unwrapScoped(
  Effect.map(folder, (directory) =>
    Layer.mergeAll(
      KeptFiles.layer({ directory, lifetime: "48 hours", secret: Redacted.make(new Uint8Array(32)) }).pipe(
        Layer.provide(FileStore.folder(directory))
      ),
      PublicUrl.layer(Option.some("https://gw.example.com/")),
      AddressGuard.Default.pipe(
        Layer.provide(Layer.effect(AllowedAddresses, Effect.orDie(parseAllowed(["127.0.0.0/8"], "allow")))),
        Layer.provide(Resolver.Default)
      )
    )
  )
)

/** Runs a test with an upstream. */
export const using =
  (made: Effect.Effect<VideoUpstream, never, VideoServices>) =>
  <A, E>(body: (upstream: VideoUpstream) => Effect.Effect<A, E>) =>
    Effect.flatMap(made, body).pipe(Effect.scoped, Effect.provide(services))

/** Polls until the file is there; meanwhile the video is running. */
export const finished = (upstream: VideoUpstream, id: string): Effect.Effect<VideoReport, unknown> =>
  Effect.repeat(Effect.zipRight(Effect.sleep("5 millis"), upstream.poll(id)), {
    until: (report) => report.status !== "running" && report.status !== "fetching"
  })
