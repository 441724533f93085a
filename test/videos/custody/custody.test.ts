import type { Socket } from "node:net"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { Effect, Exit, Option, Scope } from "effect"
import { KeptFiles } from "../../../src/files/KeptFiles.ts"
import { TaskStore } from "../../../src/tasks/TaskStore.ts"
import { clip } from "../../files/clips.ts"
import { describeOnEach } from "../../sql/engines.ts"
import { saying, startSource, status, whole } from "./source.ts"
import type { Source } from "./source.ts"
import { filesIn, hurry, linksOf, ours, owner, rowsLeft, succeeded, until, working, world } from "./world.ts"
import { link } from "./pages.ts"

const root = mkdtempSync(join(tmpdir(), "custody-"))
let source: Source

beforeAll(async () => {
  source = await startSource()
})

afterAll(() => {
  source.stop()
  rmSync(root, { recursive: true })
})

let folders = 0
const folder = () => join(root, String(++folders))
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(100, 1)])
const page = Buffer.from("<!doctype html><title>Expired</title>")

describeOnEach("custody", () => {
  it.live("copies what a task's result links to, and its record shows the gateway's own links", () => {
    const directory = folder()
    return Effect.gen(function* () {
      source.answer("/a/cat.MP4", whole(clip))
      source.answer("/a/last.jpeg", whole(png))
      yield* working
      const id = yield* succeeded({
        videoUrl: source.link("/a/cat.MP4?sign=x"),
        lastFrameUrl: source.link("/a/last.jpeg"),
        seed: 7
      })
      const { lastFrame = "", video = "" } = yield* until(
        linksOf(id),
        (links) => links.video?.startsWith(ours) === true && links.lastFrame?.startsWith(ours) === true
      )
      const [, videoId = "", videoName = ""] = link.exec(video) ?? []
      const [, frameId = "", frameName = ""] = link.exec(lastFrame) ?? []
      expect([videoName, frameName]).toEqual(["video.mp4", "last_frame.jpeg"])
      const kept = yield* KeptFiles
      expect(Option.getOrThrow(yield* kept.file(videoId, videoName)).size).toBe(clip.length)
      expect(Option.getOrThrow(yield* kept.file(frameId, frameName)).size).toBe(png.length)
      for (const path of filesIn(directory)) expect(statSync(path).mode & 0o777).toBe(0o600)
      // What else the result says is as it was.
      const store = yield* TaskStore
      expect(Option.getOrThrow(yield* store.find(owner, "video", id)).result).toMatchObject({ seed: 7 })
      expect((yield* rowsLeft).map(({ source, tries }) => ({ source, tries }))).toEqual([
        { source: null, tries: 0 },
        { source: null, tries: 0 }
      ])
    }).pipe(Effect.scoped, Effect.provide(world({ directory })))
  })

  it.live("is off unless it is asked for", () =>
    Effect.gen(function* () {
      yield* working
      const id = yield* succeeded({ videoUrl: source.link("/off.mp4") })
      expect(yield* linksOf(id)).toMatchObject({ video: source.link("/off.mp4") })
      expect(yield* rowsLeft).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(world({ directory: folder(), keep: undefined })))
  )

  it.live.each([
    ["is cut off", "/cut.mp4", saying(1_000, clip)],
    [
      "breaks off",
      "/reset.mp4",
      (socket) => {
        saying(1_000, clip, "stays open")(socket)
        setTimeout(() => socket.resetAndDestroy(), 20)
      }
    ],
    ["is a page", "/page.mp4", whole(page)],
    ["is gone", "/gone.mp4", status("404 Not Found")],
    ["is nothing", "/empty.mp4", whole(Buffer.alloc(0))]
  ] satisfies ReadonlyArray<readonly [string, string, (socket: Socket) => void]>)(
    "a source that %s leaves no file, and is asked again later",
    ([, path, how]) => {
      const directory = folder()
      return Effect.gen(function* () {
        source.answer(path, how)
        yield* working
        const id = yield* succeeded({ videoUrl: source.link(path) })
        yield* until(rowsLeft, ([row]) => row?.tries === 1)
        expect(filesIn(directory)).toEqual([])
        expect(yield* linksOf(id)).toMatchObject({ video: source.link(path) })
        source.answer(path, whole(clip))
        yield* hurry
        yield* until(linksOf(id), ({ video }) => link.test(video ?? ""))
        expect(filesIn(directory).map((file) => readFileSync(file).equals(clip))).toEqual([true])
      }).pipe(Effect.scoped, Effect.provide(world({ directory })))
    }
  )

  it.live("a source that is longer than it says is taken as it says, or not at all", () => {
    const directory = folder()
    return Effect.gen(function* () {
      source.answer("/long.mp4", saying(clip.length, Buffer.concat([clip, clip])))
      yield* working
      const id = yield* succeeded({ videoUrl: source.link("/long.mp4") })
      yield* until(
        Effect.all([linksOf(id), rowsLeft]),
        ([{ video }, [row]]) => link.test(video ?? "") || row?.tries === 1
      )
      for (const file of filesIn(directory)) expect(readFileSync(file).equals(clip)).toBe(true)
    }).pipe(Effect.scoped, Effect.provide(world({ directory })))
  })

  it.live("what is larger than may be is not copied, and not asked for again", () => {
    const directory = folder()
    return Effect.gen(function* () {
      source.answer("/large.mp4", whole(Buffer.concat([clip, Buffer.alloc(200)])))
      yield* working
      const id = yield* succeeded({ videoUrl: source.link("/large.mp4") })
      yield* until(rowsLeft, (rows) => rows.length === 0)
      expect(filesIn(directory)).toEqual([])
      expect(yield* linksOf(id)).toMatchObject({ video: source.link("/large.mp4") })
    }).pipe(Effect.scoped, Effect.provide(world({ directory, maxBytes: 200 })))
  })

  it.live("follows where a link has moved to, and no link nor move to a private address", () =>
    Effect.gen(function* () {
      source.answer("/moved.mp4", status("302 Found", `location: /here.mp4\r\n`))
      source.answer("/here.mp4", whole(clip))
      // This server is opened by its address alone; `localhost` has another, too.
      source.answer("/inside.mp4", status("302 Found", `location: http://127.0.0.2:${source.port}/secret.mp4\r\n`))
      source.answer("/round.mp4", status("302 Found", "location: /round.mp4\r\n"))
      yield* working
      const moved = yield* succeeded({ videoUrl: source.link("/moved.mp4") })
      yield* until(linksOf(moved), ({ video }) => link.test(video ?? ""))
      const before = source.asked.length
      yield* succeeded({ videoUrl: source.link("/inside.mp4") })
      yield* succeeded({ videoUrl: source.link("/round.mp4") })
      yield* succeeded({ videoUrl: `http://127.0.0.3:${source.port}/other.mp4` })
      yield* succeeded({ videoUrl: "file:///etc/passwd" })
      yield* until(rowsLeft, (rows) => rows.filter(({ tries }) => tries === 1).length === 4)
      expect(source.asked.slice(before).toSorted()).toEqual(["/inside.mp4", ...Array(4).fill("/round.mp4")])
    }).pipe(Effect.scoped, Effect.provide(world({ directory: folder(), allowed: ["127.0.0.1"] })))
  )

  it.live("what is at the gateway's own link is left there", () =>
    Effect.gen(function* () {
      yield* working
      const id = yield* succeeded({ videoUrl: `${ours}/files/abc/video.mp4` })
      yield* until(rowsLeft, (rows) => rows.length === 0)
      expect(yield* linksOf(id)).toMatchObject({ video: `${ours}/files/abc/video.mp4` })
    }).pipe(Effect.scoped, Effect.provide(world({ directory: folder() })))
  )

  it.live("a copy whose worker stops is begun again at once, and leaves nothing behind", () => {
    const directory = folder()
    return Effect.gen(function* () {
      source.answer("/slow.mp4", saying(1_000, clip, "stays open"))
      const worker = yield* Scope.make()
      yield* Scope.extend(working, worker)
      const id = yield* succeeded({ videoUrl: source.link("/slow.mp4") })
      yield* until(
        Effect.sync(() => filesIn(directory)),
        (files) => files.length === 1
      )
      yield* Scope.close(worker, Exit.void)
      yield* until(
        Effect.sync(() => filesIn(directory)),
        (files) => files.length === 0
      )
      yield* until(Effect.sync(source.open), (open) => open === 0)
      source.answer("/slow.mp4", whole(clip))
      yield* working
      yield* until(linksOf(id), ({ video }) => link.test(video ?? ""))
    }).pipe(Effect.scoped, Effect.provide(world({ directory })))
  })

  it.live("a copy that is another's by now changes nothing", () => {
    const directory = folder()
    return Effect.gen(function* () {
      let last = (): void => {}
      source.answer("/paused.mp4", (socket) => {
        saying(clip.length, clip.subarray(0, 32), "stays open")(socket)
        last = () => void socket.end(clip.subarray(32))
      })
      yield* working
      const id = yield* succeeded({ videoUrl: source.link("/paused.mp4") })
      yield* until(
        Effect.sync(() => filesIn(directory)),
        (files) => files.length === 1
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE custody SET lease_token = 'another', due_at = ${Date.now() + 3_600_000}`
      last()
      yield* until(Effect.sync(source.open), (open) => open === 0)
      yield* until(
        Effect.sync(() => filesIn(directory)),
        ([file]) => file?.endsWith("video.mp4") === true
      )
      expect(yield* linksOf(id)).toMatchObject({ video: source.link("/paused.mp4") })
      expect(yield* rowsLeft).toMatchObject([{ source: source.link("/paused.mp4") }])
    }).pipe(Effect.scoped, Effect.provide(world({ directory })))
  })

  it.live("a copy whose worker died between its end and the word of it is not fetched again", () => {
    const directory = folder()
    return Effect.gen(function* () {
      source.answer("/twice.mp4", whole(clip))
      const id = yield* succeeded({ videoUrl: source.link("/twice.mp4") })
      const { custody } = yield* KeptFiles
      const pieces = [clip]
      yield* custody.keep(custody.idOf(id, "video"), "video.mp4", {
        read: () => Promise.resolve(pieces.pop()),
        declared: clip.length,
        is: "video"
      })
      yield* working
      yield* until(linksOf(id), ({ video }) => link.test(video ?? ""))
      expect(source.asked).not.toContain("/twice.mp4")
    }).pipe(Effect.scoped, Effect.provide(world({ directory })))
  })

  it.live("a copy of a task that was removed meanwhile goes, too", () => {
    const directory = folder()
    return Effect.gen(function* () {
      source.answer("/removed.mp4", whole(clip))
      const store = yield* TaskStore
      const id = yield* succeeded({ videoUrl: source.link("/removed.mp4") })
      expect(yield* store.remove(owner, "video", id)).toBe(true)
      yield* working
      yield* until(rowsLeft, (rows) => rows.length === 0)
      expect(filesIn(directory)).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(world({ directory })))
  })
})
