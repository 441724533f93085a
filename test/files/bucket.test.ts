import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import type { BucketPlace } from "../../src/config/filesPlace.ts"
import type { Incoming, Read } from "../../src/files/checkFile.ts"
import { FileStore } from "../../src/files/FileStore.ts"
import { sourceOf } from "../credentials/sourceOf.ts"
import { startBucket, withoutBucket } from "./bucketServer.ts"
import type { BucketServer } from "./bucketServer.ts"
import { clip, piecesOf } from "./clips.ts"

const directory = mkdtempSync(join(tmpdir(), "bucket-"))
afterAll(() => rmSync(directory, { recursive: true }))

const megabyte = Buffer.alloc(1024 ** 2, 7)
/** A clip of about so many MB, in as many pieces, which ends as it is told. */
const large = (megabytes: number, ...end: ReadonlyArray<Error>): Read =>
  piecesOf(clip, ...Array.from({ length: megabytes }, () => megabyte), ...end)
const incoming = (read: Read, more: Partial<Incoming> = {}): Incoming => ({
  read,
  maxBytes: Infinity,
  freeBytes: 0,
  is: "video",
  synced: true,
  ...more
})

describe.skipIf(withoutBucket("test/files/bucket.test.ts"))("files in a bucket", () => {
  let bucket: BucketServer
  beforeAll(async () => {
    bucket = await startBucket()
  })
  afterAll(() => bucket?.stop())

  const using = <A, E>(
    use: (files: (typeof FileStore)["Service"]) => Effect.Effect<A, E>,
    over: Partial<BucketPlace> = {}
  ) =>
    Effect.flatMap(FileStore, use).pipe(
      Effect.provide(FileStore.layer({ ...bucket.place, ...over }, directory, sourceOf())),
      Effect.scoped
    )
  const bytesOf = (files: (typeof FileStore)["Service"], key: string, first: number, last: number) =>
    Effect.flatMap(files.find(key), (found) =>
      Effect.promise(() => new Response(Option.getOrThrow(found).part(first, last)).bytes())
    )

  it.live("are there whole, of their type, in parts, and gone once removed", () =>
    using((files) =>
      Effect.gen(function* () {
        const length = yield* files.write("kept/a/video.mp4", incoming(large(12)))
        expect(length).toBe(12 * 1024 ** 2 + clip.length)
        const stored = Option.getOrThrow(yield* files.find("kept/a/video.mp4"))
        expect(stored.size).toBe(length)
        expect(Math.abs(stored.modifiedMs - Date.now())).toBeLessThan(60_000)
        expect(Buffer.from(yield* bytesOf(files, "kept/a/video.mp4", 0, clip.length - 1)).equals(clip)).toBe(true)
        expect(yield* bytesOf(files, "kept/a/video.mp4", length - 3, length - 1)).toEqual(Uint8Array.of(7, 7, 7))
        const { type } = yield* Effect.promise(() => bucket.client.stat("gateway/kept/a/video.mp4"))
        expect(type).toBe("video/mp4")
        expect(yield* files.older("kept", Date.now() - 3_600_000)).toEqual([])
        expect(yield* files.older("kept", Date.now() + 3_600_000)).toEqual(["kept/a/video.mp4"])
        yield* files.remove("kept/a/video.mp4")
        yield* files.remove("kept/a/video.mp4")
        expect(yield* files.find("kept/a/video.mp4")).toEqual(Option.none())
      })
    )
  )

  it.live("are all found that are too old, however many there are", () =>
    using((files) =>
      Effect.gen(function* () {
        const names = Array.from({ length: 1_005 }, (_, at) => `many/${String(at).padStart(4, "0")}/video.mp4`)
        yield* Effect.forEach(names, (name) => files.write(name, incoming(piecesOf(clip))), { concurrency: 16 })
        expect(yield* files.older("many", Date.now() + 3_600_000)).toEqual(names)
        yield* Effect.forEach(names, files.remove, { concurrency: 16 })
      })
    )
  )

  it.live.each([
    ["whose source dies", large(8, new Error("gone")), {}, "broken"],
    ["whose source dies early", large(1, new Error("gone")), {}, "broken"],
    ["that ends before its length", large(8), { declared: 9 * 1024 ** 2 }, "broken"],
    ["that goes on after its length", large(8), { declared: 2 * 1024 ** 2 }, "broken"],
    ["that is larger than may be", large(8), { maxBytes: 7 * 1024 ** 2 }, "too-large"],
    ["that is a page", piecesOf("<!doctype html>", "<p>Sign in"), {}, "no-clip"],
    ["that is empty", piecesOf(), {}, "no-clip"]
  ] as const)("an upload %s leaves no object and no open upload", ([, read, more, why]) =>
    using((files) =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(files.write("kept/b/video.mp4", incoming(read, more)))
        expect(failed).toMatchObject({ _tag: "NotKept", why })
        // It is given up behind the failure.
        yield* Effect.promise(() => expect.poll(bucket.hasOpenUploads).toBe(false))
        expect(yield* Effect.promise(bucket.keys)).toEqual([])
      })
    )
  )

  it.live("an upload that is interrupted leaves no object and no open upload", () =>
    using((files) =>
      Effect.gen(function* () {
        const stuck = Promise.withResolvers<undefined>()
        const whole = large(8)
        let isStuck = false
        const read: Read = async () => {
          const piece = await whole()
          if (piece !== undefined) return piece
          isStuck = true
          return stuck.promise
        }
        const fiber = yield* Effect.fork(files.write("kept/c/video.mp4", incoming(read)))
        yield* Effect.promise(() => expect.poll(() => isStuck).toBe(true))
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => expect.poll(bucket.hasOpenUploads).toBe(false))
        expect(yield* Effect.promise(bucket.keys)).toEqual([])
      })
    )
  )

  it.live("what a machine kept before it had a bucket is found and removed still", () =>
    using((files) =>
      Effect.gen(function* () {
        mkdirSync(join(directory, "kept", "old"), { recursive: true })
        writeFileSync(join(directory, "kept", "old", "video.mp4"), clip)
        expect(Buffer.from(yield* bytesOf(files, "kept/old/video.mp4", 0, clip.length - 1)).equals(clip)).toBe(true)
        expect(yield* files.older("kept", Date.now() + 3_600_000)).toEqual(["kept/old/video.mp4"])
        yield* files.remove("kept/old/video.mp4")
        expect(yield* files.find("kept/old/video.mp4")).toEqual(Option.none())
      })
    )
  )

  it.live("a bucket that is not there stops the start, in a line", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(using(() => Effect.void, { bucket: "nowhere", prefix: "" }))
      expect(failed).toMatchObject({
        _tag: "BadSettings",
        message: "files: s3://nowhere: there is no such bucket; the gateway does not create it"
      })
    })
  )
})

describe("a bucket's server", () => {
  const served = (answer: (request: Request) => Response | Promise<Response>) =>
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })),
      (server) => Effect.promise(() => server.stop(true))
    )
  const place = (port: number | undefined): BucketPlace => ({
    kind: "bucket",
    bucket: "files",
    prefix: "",
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    pathStyle: true,
    keys: {
      accessKeyId: Redacted.make("id"),
      secretAccessKey: Redacted.make("planted-bucket-secret"),
      sessionToken: undefined
    },
    profile: undefined,
    roleArn: undefined
  })
  const store = (port: number | undefined) =>
    Effect.provide(FileStore, FileStore.layer(place(port), directory, sourceOf()))

  it.scopedLive("that is away does not prevent a start, and is reported without its keys", () =>
    Effect.gen(function* () {
      const files = yield* store(1)
      const failed = yield* Effect.flip(files.find("kept/a/video.mp4"))
      expect(failed).toMatchObject({ _tag: "FilesUnavailable", message: expect.stringContaining("s3://files: ") })
      expect(failed.message).not.toContain("planted")
    })
  )

  it.scopedLive("that says no stops the start", () =>
    Effect.gen(function* () {
      const server = yield* served(
        () => new Response("<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>", { status: 403 })
      )
      expect(yield* Effect.flip(store(server.port))).toMatchObject({
        message: "files: s3://files: its secret key is wrong"
      })
    })
  )

  it.scopedLive("that has less than it was sent is not believed, and what it has is removed", () =>
    Effect.gen(function* () {
      const methods: Array<string> = []
      const server = yield* served(async (request) => {
        methods.push(request.method)
        await request.arrayBuffer()
        if (request.method === "HEAD") {
          return new Response("x".repeat(clip.length - 1), { headers: { "last-modified": new Date().toUTCString() } })
        }
        return new Response(null, { status: request.method === "DELETE" ? 204 : 200, headers: { etag: '"x"' } })
      })
      const files = yield* store(server.port)
      const failed = yield* Effect.flip(files.write("kept/a/video.mp4", incoming(piecesOf(clip))))
      expect(failed).toMatchObject({ _tag: "FilesUnavailable" })
      expect(methods.slice(1)).toEqual(["PUT", "HEAD", "DELETE"])
    })
  )
})
