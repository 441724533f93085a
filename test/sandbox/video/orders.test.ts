import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import { PublicUrl } from "../../../src/config/PublicUrl.ts"
import { FileStore } from "../../../src/files/FileStore.ts"
import { Clips } from "../../../src/sandbox/video/Clips.ts"
import { Renderer } from "../../../src/sandbox/video/Renderer.ts"
import { sandboxVideo } from "../../../src/sandbox/video/SandboxVideo.ts"
import { layer as databaseAt } from "../../../src/sql/Database.ts"
import type { VideoJob, VideoUpstream } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { resolve } from "../../../src/videos/resolve.ts"
import { describeOnEach } from "../../sql/engines.ts"
import { limits, request } from "../../videos/requests.ts"
import { unheard } from "../../upstreams/video/unheard.ts"

const root = mkdtempSync(join(tmpdir(), "orders-"))
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0
const folder = () => join(root, `${folders++}`)

const job = (prompt: string): VideoJob => {
  const { media, settings } = Either.getOrThrow(resolve(request({ seed: 7 }), limits, () => 7))
  return {
    taskId: `cgt-${++folders}-abcdefghij`,
    upstreamModel: "sandbox-video",
    prompt,
    media,
    settings: { ...settings, width: 64, height: 36, frames: 4 },
    body: null,
    createdAtMs: 0,
    deadlineMs: Number.MAX_SAFE_INTEGER
  }
}

/** What a node asks its sandbox. */
const at = <A, E>(
  { directory, files, url }: { readonly directory: string; readonly files: string; readonly url: string },
  ask: (upstream: VideoUpstream, clips: (typeof Clips)["Service"]) => Effect.Effect<A, E>
) =>
  Effect.flatMap(Effect.all([sandboxVideo, Clips]), ([upstream, clips]) => ask(upstream, clips)).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        Clips.layer(directory, "48 hours").pipe(
          Layer.provide(Layer.merge(FileStore.folder(files), databaseAt({ url, exclusive: false })))
        ),
        Renderer.Default,
        PublicUrl.layer(Option.some("https://gateway.example"))
      )
    )
  )

const never = unheard()

describeOnEach("an order of the sandbox", ({ name, url }) => {
  it.scopedLive("is known to every process of the database, which go on with it and serve its clip", () =>
    Effect.gen(function* () {
      const [database, files, directory] = [yield* url, folder(), folder()]
      const one = { url: database, files, directory }
      const other = { ...one, directory: name === "postgres" ? folder() : directory }
      const mine = job("a cat")
      const id = yield* at(one, (upstream) => upstream.submit(mine))
      const found = yield* at(other, (upstream) => upstream.reconcile?.(mine, never) ?? Effect.succeedNone)
      expect(found).toEqual(Option.some(id))
      const done = yield* at(other, (upstream) =>
        Effect.repeat(Effect.zipLeft(upstream.poll(id), Effect.sleep("20 millis")), {
          until: ({ status }) => status !== "queued" && status !== "running"
        })
      )
      expect(done.status).toBe("succeeded")
      const clip = yield* at(one, (_, clips) => clips.file(id, "video.mp4"))
      expect(Option.isSome(clip)).toBe(true)
      const queued = yield* at(one, (upstream) => upstream.submit(job("[[sandbox: queue=1m]]")))
      expect(yield* at(other, (upstream) => upstream.cancel(queued))).toBe("cancelled")
      expect(yield* at(one, (upstream) => upstream.poll(queued))).toMatchObject({ status: "cancelled" })
    })
  )

  it.scopedLive("that was made before the database was another is gone on with", () =>
    Effect.gen(function* () {
      const [files, directory] = [folder(), folder()]
      const before = { url: `sqlite:${join(folder(), "gateway.db")}`, files, directory }
      const mine = job("[[sandbox: queue=1m]]")
      const id = yield* at(before, (upstream) => upstream.submit(mine))
      const after = { url: yield* url, files, directory }
      expect(yield* at(after, (upstream) => upstream.poll(id))).toMatchObject({ status: "queued" })
      const found = yield* at(after, (upstream) => upstream.reconcile?.(mine, never) ?? Effect.succeedNone)
      expect(found).toEqual(Option.some(id))
      expect(yield* at(after, (upstream) => upstream.cancel(id))).toBe("cancelled")
      expect(yield* at(after, (upstream) => upstream.poll(id))).toMatchObject({ status: "cancelled" })
    })
  )

  it.scopedLive("is gone when it is over", () =>
    Effect.gen(function* () {
      const node = { url: yield* url, files: folder(), directory: folder() }
      const id = yield* at(node, (upstream) => upstream.submit({ ...job("a cat"), deadlineMs: 1 }))
      yield* at(node, (_, clips) => clips.sweep)
      expect(yield* at(node, (_, clips) => clips.read(id))).toEqual(Option.none())
    })
  )
})
