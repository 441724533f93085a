import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, Layer, Option, TestClock } from "effect"
import { PublicUrl } from "../../../src/config/PublicUrl.ts"
import { FileStore } from "../../../src/files/FileStore.ts"
import { Clips } from "../../../src/sandbox/video/Clips.ts"
import { readDirective } from "../../../src/sandbox/video/directive.ts"
import { RenderFailed, Renderer } from "../../../src/sandbox/video/Renderer.ts"
import { sandboxVideo } from "../../../src/sandbox/video/SandboxVideo.ts"
import type { VideoJob, VideoReport } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { resolve } from "../../../src/videos/resolve.ts"
import { clip as mp4 } from "../../files/clips.ts"
import { limits, request } from "../../videos/requests.ts"
import { readMp4 } from "./boxes.ts"
import { unheard } from "../../upstreams/video/unheard.ts"

const root = mkdtempSync(join(tmpdir(), "clips-"))
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0
const folder = () => join(root, `${folders++}`)

const job = (prompt: string, fields: Record<string, unknown> = {}): VideoJob => {
  const { media, settings } = Either.getOrThrow(resolve(request({ seed: 7, ...fields }), limits, () => 7))
  return {
    taskId: `cgt-${folders}-abcdefghij`,
    upstreamModel: "sandbox-video",
    prompt,
    media,
    settings: { ...settings, width: 64, height: 36, frames: 4 },
    body: null,
    createdAtMs: 0,
    deadlineMs: Number.MAX_SAFE_INTEGER
  }
}

/** Orders and files in one folder. */
const clipsIn = (directory: string) =>
  Clips.local(directory, "48 hours").pipe(Layer.provide(FileStore.folder(directory)))

/** A process with the sandbox in it: another one with the same folder is the one after a restart. */
const process = (directory: string, renderer: Layer.Layer<Renderer> = Renderer.Default) =>
  Layer.mergeAll(clipsIn(directory), renderer, PublicUrl.layer(Option.some("https://gateway.example/")))
const noRenderer = Layer.succeed(
  Renderer,
  Renderer.make({ render: () => Effect.fail(new RenderFailed({ reason: "no memory" })) })
)

/** Polls as the engine would, until it is over; answers every status it was told. */
const follow = (poll: Effect.Effect<VideoReport, unknown>) =>
  Effect.gen(function* () {
    const told: Array<VideoReport> = []
    for (;;) {
      const report = yield* poll
      if (told.at(-1)?.status !== report.status) told.push(report)
      if (report.status !== "queued" && report.status !== "running") return told
      yield* Effect.sleep(50)
    }
  })
const statuses = (told: ReadonlyArray<VideoReport>) => told.map(({ status }) => status)

describe("sandbox-video", () => {
  it.live("is queued, runs and succeeds with a playable clip and its last frame", () => {
    const directory = folder()
    return Effect.gen(function* () {
      const upstream = yield* sandboxVideo
      const id = yield* upstream.submit(job("a cat [[sandbox: queue=1s]]", { return_last_frame: true }))
      const told = yield* follow(upstream.poll(id))
      expect(statuses(told)).toEqual(["queued", "running", "succeeded"])
      expect(told.at(-1)).toEqual({
        status: "succeeded",
        result: {
          frames: 4,
          videoUrl: `https://gateway.example/files/${id}/video.mp4`,
          lastFrameUrl: `https://gateway.example/files/${id}/last_frame.png`
        }
      })
      expect(readMp4(readFileSync(join(directory, "videos", id, "video.mp4")))).toMatchObject({
        width: 64,
        height: 36,
        frames: 4
      })
    }).pipe(Effect.scoped, Effect.provide(process(directory)))
  })

  it.live("goes on after a restart, wherever it was, with the same clip", () => {
    const directory = folder()
    return Effect.gen(function* () {
      const submit = (prompt: string) =>
        Effect.flatMap(sandboxVideo, (upstream) => upstream.submit(job(prompt))).pipe(
          Effect.scoped,
          Effect.provide(process(directory))
        )
      const afterwards = (id: string) =>
        Effect.flatMap(sandboxVideo, (upstream) => follow(upstream.poll(id))).pipe(
          Effect.scoped,
          Effect.provide(process(directory))
        )
      // Submitted by a process that is gone before anything was rendered.
      const [one, other] = [yield* submit("a cat"), yield* submit("a cat")]
      expect(statuses(yield* afterwards(one)).at(-1)).toBe("succeeded")
      expect(statuses(yield* afterwards(one))).toEqual(["running", "succeeded"])
      yield* afterwards(other)
      const clip = (id: string) => readFileSync(join(directory, "videos", id, "video.mp4"))
      expect(clip(one).equals(clip(other))).toBe(true)
    })
  })

  it.live("finds what a task submitted, and nothing for one that did not", () =>
    Effect.gen(function* () {
      const upstream = yield* sandboxVideo
      const mine = job("a cat")
      const id = yield* upstream.submit(mine)
      expect(yield* upstream.reconcile?.(mine, unheard()) ?? Effect.succeedNone).toEqual(Option.some(id))
      const shorter = { ...mine, taskId: mine.taskId.slice(0, -1) }
      expect(yield* upstream.reconcile?.(shorter, unheard()) ?? Effect.succeedNone).toEqual(Option.none())
    }).pipe(Effect.scoped, Effect.provide(process(folder())))
  )

  it.effect("waits and runs as long as the prompt asks", () =>
    Effect.gen(function* () {
      const upstream = yield* sandboxVideo
      const id = yield* upstream.submit(job("[[sandbox: queue=1s render=3s fail=OutputVideoSensitiveContentDetected]]"))
      expect(yield* upstream.poll(id)).toEqual({ status: "queued", nextPollMs: 1_000 })
      yield* TestClock.adjust("999 millis")
      expect((yield* upstream.poll(id)).status).toBe("queued")
      yield* TestClock.adjust("1 millis")
      expect(yield* upstream.poll(id)).toEqual({ status: "running", nextPollMs: 3_000 })
      yield* TestClock.adjust("3 seconds")
      expect(yield* upstream.poll(id)).toMatchObject({
        status: "failed",
        error: { code: "OutputVideoSensitiveContentDetected" }
      })
    }).pipe(Effect.scoped, Effect.provide(process(folder())))
  )

  it.effect("can be cancelled while it is queued, and not later", () =>
    Effect.gen(function* () {
      const upstream = yield* sandboxVideo
      const id = yield* upstream.submit(job("[[sandbox: queue=1m]]"))
      expect(yield* upstream.cancel(id)).toBe("cancelled")
      expect(yield* upstream.cancel(id)).toBe("ended")
      expect(yield* upstream.poll(id)).toEqual({ status: "cancelled" })
      const late = yield* upstream.submit(job("[[sandbox: queue=1s render=1h]]"))
      yield* TestClock.adjust("1 seconds")
      expect(yield* upstream.cancel(late)).toBe("running")
      expect(yield* upstream.cancel("cgt-unknown")).toBe("ended")
    }).pipe(Effect.scoped, Effect.provide(process(folder(), noRenderer)))
  )

  it.effect("refuses as an upstream would", () =>
    Effect.gen(function* () {
      const upstream = yield* sandboxVideo
      const refused = (setting: string) => Effect.flip(upstream.submit(job(`[[sandbox: ${setting}]]`)))
      expect(yield* refused("error=429")).toMatchObject({ _tag: "VideoSaturated" })
      expect(yield* refused("error=400")).toMatchObject({ _tag: "VideoRejected", code: "InvalidParameter" })
      expect(yield* refused("error=500")).toMatchObject({ _tag: "VideoRejected", code: "InternalServiceError" })
      expect(yield* refused("speed=9")).toMatchObject({
        _tag: "VideoRejected",
        message: "[[sandbox: speed=9]]: expected queue, render, error or fail"
      })
      expect(yield* Effect.flip(upstream.poll("../../etc/passwd"))).toMatchObject({ _tag: "VideoRejected" })
    }).pipe(Effect.scoped, Effect.provide(process(folder())))
  )

  it.live("fails where the renderer does", () =>
    Effect.gen(function* () {
      const upstream = yield* sandboxVideo
      const id = yield* upstream.submit(job("a cat"))
      expect((yield* follow(upstream.poll(id))).at(-1)).toMatchObject({
        status: "failed",
        error: { code: "InternalServiceError" }
      })
    }).pipe(Effect.scoped, Effect.provide(process(folder(), noRenderer)))
  )
})

describe("the sandbox's clips", () => {
  const order = {
    scene: {
      width: 64,
      height: 36,
      frames: 4,
      framesPerSecond: 24,
      seed: 1,
      prompt: "",
      watermark: false,
      lastFrame: false
    },
    runsAtMs: 0,
    endsAtMs: 0,
    deadlineMs: Duration.toMillis("48 hours"),
    cancelled: false,
    error: null,
    renderedAtMs: null
  }
  const clip = { video: mp4, lastFrame: null }

  it.effect("are read for 48 hours after they were rendered, then removed", () => {
    const directory = folder()
    return Effect.gen(function* () {
      const clips = yield* Clips
      const id = yield* clips.create("cgt-1", order)
      expect(yield* clips.file(id, "video.mp4")).toEqual(Option.none())
      yield* TestClock.adjust("1 hours")
      yield* clips.keep(id, order, clip)
      yield* TestClock.adjust(Duration.millis(Duration.toMillis("48 hours") - 1))
      expect(Option.map(yield* clips.file(id, "video.mp4"), ({ size }) => size)).toEqual(Option.some(mp4.length))
      expect(yield* clips.file(id, "last_frame.png")).toEqual(Option.none())
      expect(yield* clips.file(id, "order.json")).toEqual(Option.none())
      expect(yield* clips.file(`../${id}`, "video.mp4")).toEqual(Option.none())
      yield* TestClock.adjust("1 millis")
      expect(yield* clips.file(id, "video.mp4")).toEqual(Option.none())
      yield* clips.sweep
      expect(existsSync(join(directory, "videos", id))).toBe(false)
      expect(yield* clips.read(id)).toEqual(Option.none())
    }).pipe(Effect.provide(clipsIn(directory)))
  })

  it.effect("without a waiting task are removed too", () => {
    const directory = folder()
    return Effect.gen(function* () {
      const clips = yield* Clips
      const id = yield* clips.create("cgt-1", order)
      yield* TestClock.adjust("47 hours")
      yield* clips.sweep
      expect(yield* clips.read(id)).toEqual(Option.some(order))
      yield* TestClock.adjust("1 hours")
      yield* clips.sweep
      expect(yield* clips.read(id)).toEqual(Option.none())
    }).pipe(Effect.provide(clipsIn(directory)))
  })

  it.effect("have names that can't be guessed", () =>
    Effect.gen(function* () {
      const clips = yield* Clips
      const ids = yield* Effect.replicateEffect(
        Effect.suspend(() => clips.create("cgt-1", order)),
        20
      )
      expect(new Set(ids.map((id) => id.slice(-32))).size).toBe(20)
      for (const id of ids) expect(id).toMatch(/^cgt-1-[0-9a-f]{32}$/)
    }).pipe(Effect.provide(clipsIn(folder())))
  )
})

describe("a directive", () => {
  it("is taken out of the prompt and read", () => {
    expect(readDirective("a cat [[sandbox: queue=1s render=1.5m error=503 fail=A.b]] runs")).toEqual(
      Either.right({
        prompt: "a cat   runs",
        directive: { queueMs: 1_000, renderMs: 90_000, error: 503, fail: "A.b" }
      })
    )
    expect(Either.isRight(readDirective("[[sandbox: render=72h]]"))).toBe(true)
  })
  it.each([
    "queue=",
    "queue=-1s",
    "render=73h",
    "render=soon",
    "error=200",
    "error=",
    "fail=",
    "fail=a b/",
    "delay=1s"
  ])("is refused when it is %s", (setting) => {
    expect(Either.isLeft(readDirective(`[[sandbox: ${setting}]]`))).toBe(true)
  })
})
