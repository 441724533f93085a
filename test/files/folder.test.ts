import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { FileStore } from "../../src/files/FileStore.ts"
import { sourceOf } from "../credentials/sourceOf.ts"
import { clip, piecesOf } from "./clips.ts"

const root = mkdtempSync(join(tmpdir(), "folder-"))
afterAll(() => rmSync(root, { recursive: true }))

const sharing = (machine: string) =>
  FileStore.layer({ kind: "folder", path: join(root, "shared") }, join(root, machine), sourceOf())
const incoming = {
  read: piecesOf(clip),
  maxBytes: 100,
  freeBytes: 0,
  is: "video",
  synced: true
} as const

it.live("a file that one machine writes to a shared folder is read and removed by another", () =>
  Effect.gen(function* () {
    const one = yield* Effect.provide(FileStore, sharing("one"))
    const other = yield* Effect.provide(FileStore, sharing("other"))
    expect(yield* one.write("kept/a/video.mp4", incoming)).toBe(clip.length)
    const { part, size } = Option.getOrThrow(yield* other.find("kept/a/video.mp4"))
    const bytes = yield* Effect.promise(() => new Response(part(0, size - 1)).bytes())
    expect(Buffer.from(bytes).equals(clip)).toBe(true)
    expect(yield* other.older("kept", Date.now() + 60_000)).toEqual(["kept/a/video.mp4"])
    yield* other.remove("kept/a/video.mp4")
    expect(yield* one.find("kept/a/video.mp4")).toEqual(Option.none())
  })
)

it.live("a folder that can't be made stops the start, in a line", () =>
  Effect.gen(function* () {
    writeFileSync(join(root, "file"), "")
    const path = join(root, "file", "below")
    const failed = yield* Effect.flip(
      Effect.provide(FileStore, FileStore.layer({ kind: "folder", path }, join(root, "one"), sourceOf()))
    )
    expect(failed).toMatchObject({ _tag: "BadSettings", message: expect.stringMatching(/^files: ENOTDIR.*below/) })
  })
)
