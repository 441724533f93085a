import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { PublicUrl } from "../../src/config/PublicUrl.ts"
import { FileStore } from "../../src/files/FileStore.ts"
import { KeptFiles } from "../../src/files/KeptFiles.ts"
import { placeOf } from "../../src/upstreams/configured/fromSettings.ts"
import { videoEntry, videoServiceNames } from "../upstreams/fakes/videoServices.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "kept-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
)

const files = Layer.unwrapScoped(
  Effect.map(folder, (directory) =>
    Layer.merge(
      KeptFiles.layer({ directory, lifetime: "48 hours", secret: Redacted.make(new Uint8Array(32)) }).pipe(
        Layer.provide(FileStore.folder(directory))
      ),
      PublicUrl.layer(Option.some("https://gw.example.com/"))
    )
  )
)

/** The upstreams of every service of videos at an address, as the gateway makes them of its configuration. */
export const realUpstreams = (world: string) =>
  Effect.flatMap(Layer.build(files), (services) => Effect.provide(upstreamsAt(world), services))

const upstreamsAt = (world: string) =>
  Effect.forEach(videoServiceNames, (name) => {
    const { api_key: apiKey, ...entry } = videoEntry(name, `${world}${name}`)
    const place = placeOf(name, entry, undefined)
    return place.kind === "video"
      ? Effect.map(place.upstream(Redacted.make(apiKey)), (upstream) => [name, upstream] as const)
      : Effect.dieMessage(`${name} makes no videos`)
  })
