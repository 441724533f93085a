import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { KeptFiles } from "../../src/files/KeptFiles.ts"
import type { Read } from "../../src/files/checkFile.ts"
import { FileStore } from "../../src/files/FileStore.ts"
import { clip, clipIn, piecesOf } from "./clips.ts"

const directory = mkdtempSync(join(tmpdir(), "kept-files-"))
afterAll(() => rmSync(directory, { recursive: true }))

interface Room {
  readonly maxBytes?: number
  readonly freeBytes?: number
}

const id = "a".repeat(64)
const name = "video.mp4"
const left = () => readdirSync(directory, { recursive: true }).filter((path) => String(path).includes(name))

const using = <A, E>(room: Room, body: (kept: (typeof KeptFiles)["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(KeptFiles, body).pipe(
    Effect.provide(
      KeptFiles.layer({ directory, lifetime: "1 hour", room, secret: Redacted.make(new Uint8Array(32)) }).pipe(
        Layer.provide(FileStore.folder(directory))
      )
    )
  )
const keeping = (read: Read, room: Room = {}) => using(room, (kept) => kept.keep(id, name, read))

describe("a file that is kept", () => {
  it.live("is a video, in whatever pieces it comes, and is ours alone", () =>
    Effect.gen(function* () {
      for (const bytes of [1, 5, 64]) {
        yield* keeping(clipIn(bytes))
        const path = join(directory, "kept", id, name)
        expect(readFileSync(path).equals(Buffer.from(clip))).toBe(true)
        expect(statSync(path).mode & 0o777).toBe(0o600)
        rmSync(path)
      }
    })
  )

  it.live.each([
    ["is larger than may be", piecesOf(clip, clip, clip), { maxBytes: 150 }, "too-large"],
    ["would fill the disk", clipIn(64), { freeBytes: Number.MAX_SAFE_INTEGER }, "no-room"],
    ["is a page", piecesOf("<!doctype html>", "<p>Sign in"), {}, "no-clip"],
    ["is an error in JSON", piecesOf(`{"error":"no"}`), {}, "no-clip"],
    ["is empty", piecesOf(), {}, "no-clip"],
    ["ends before it can tell what it is", piecesOf("\0\0\0"), {}, "no-clip"],
    ["breaks off", piecesOf(clip, new Error("gone")), {}, "broken"]
  ] as const)("that %s is not, and nothing is left of it", ([, read, room, why]) =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(keeping(read, room))).toMatchObject({ _tag: "NotKept", why })
      expect(left()).toEqual([])
    })
  )

  it.live("leaves nothing where its fetch is interrupted, and where the process died over it", () =>
    Effect.gen(function* () {
      const reading = Promise.withResolvers<undefined>()
      let asked = 0
      const read: Read = async () => (asked++ === 0 ? clip : reading.promise)
      yield* using({}, (kept) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(kept.keep(id, name, read))
          yield* Effect.promise(() => expect.poll(() => asked).toBe(2))
          expect(left()).toHaveLength(1)
          yield* Fiber.interruptFork(fiber)
          reading.resolve(undefined)
          yield* Effect.promise(() => expect.poll(left).toEqual([]))
        })
      )
      // A file without writes for an hour is abandoned; another process may be writing the rest.
      mkdirSync(join(directory, "kept", id), { recursive: true })
      for (const [owner, ageSeconds] of [
        ["dead", 3_700],
        ["living", 3_500]
      ] as const) {
        const path = join(directory, "kept", id, `${name}.${owner}.part`)
        writeFileSync(path, clip)
        utimesSync(path, new Date(), Date.now() / 1_000 - ageSeconds)
      }
      yield* using({}, () => Effect.promise(() => expect.poll(left).toEqual([join("kept", id, `${name}.living.part`)])))
    })
  )
})
