import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { BunFileSystem } from "@effect/platform-bun"
import { SystemError } from "@effect/platform/Error"
import type { PlatformError } from "@effect/platform/Error"
import { Clock, Context, Duration, Effect, Layer, Option, Schedule, Schema } from "effect"
import { VideoError } from "../../VideoUpstream.ts"
import type { Clip } from "./scene.ts"

/** A clip that was ordered, as its file says: enough to go on with after a restart. Times are Unix milliseconds. */
export const Order = Schema.Struct({
  scene: Schema.Struct({
    width: Schema.Int,
    height: Schema.Int,
    frames: Schema.Int,
    framesPerSecond: Schema.Int,
    seed: Schema.Int,
    prompt: Schema.String,
    watermark: Schema.Boolean,
    lastFrame: Schema.Boolean
  }),
  runsAtMs: Schema.Number,
  endsAtMs: Schema.Number,
  /** Nobody wants it any more after this. */
  deadlineMs: Schema.Number,
  cancelled: Schema.Boolean,
  error: Schema.NullOr(VideoError),
  renderedAtMs: Schema.NullOr(Schema.Number)
})
export type Order = typeof Order.Type

export const videoFile = "video.mp4"
export const lastFrameFile = "last_frame.png"

const encode = (content: Order): string => JSON.stringify(content)
const decode = Schema.decodeOption(Schema.parseJson(Order))

interface Options {
  readonly directory: string
  /** How long a clip's links work after it was rendered. */
  readonly lifetime: Duration.DurationInput
}

const make = (options: Options) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const lifetimeMs = Duration.toMillis(options.lifetime)
    const folder = (id: string) => join(options.directory, id)
    const order = (id: string) => join(folder(id), "order.json")

    /** It is there whole or not at all, whenever the process dies. */
    const replace = (file: string, bytes: Uint8Array) =>
      Effect.zipRight(fs.writeFile(`${file}.part`, bytes), fs.rename(`${file}.part`, file))

    const write = (id: string, content: Order): Effect.Effect<void, PlatformError> =>
      replace(order(id), Buffer.from(encode(content)))

    /** Keeps an order under a new id that begins with the task's and can't be guessed. */
    const create = (taskId: string, content: Order): Effect.Effect<string, PlatformError> =>
      Effect.try({
        // Waiting for the file system's threads takes ten times as long as these two calls. A file that a crash cut off
        // is none: its task finds nothing and is submitted again.
        try: () => {
          const id = `${taskId}-${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`
          mkdirSync(folder(id), { recursive: true })
          writeFileSync(order(id), encode(content))
          return id
        },
        catch: (cause) =>
          new SystemError({ reason: "Unknown", module: "FileSystem", method: "create", description: String(cause) })
      })

    const read = (id: string): Effect.Effect<Option.Option<Order>, PlatformError> =>
      isId(id)
        ? fs.readFileString(order(id)).pipe(
            Effect.map(decode),
            Effect.catchIf(isMissing, () => Effect.succeedNone)
          )
        : Effect.succeedNone

    /** The id that a task's order was given. */
    const idOf = (taskId: string): Effect.Effect<Option.Option<string>, PlatformError> =>
      all.pipe(
        Effect.map((ids) => ids.filter((id) => id.startsWith(`${taskId}-`) && id.length === taskId.length + 33)),
        Effect.flatMap(Effect.findFirst((id) => Effect.map(read(id), Option.isSome)))
      )

    const all = fs.readDirectory(options.directory).pipe(Effect.catchIf(isMissing, () => Effect.succeed([])))

    /** Stores what was rendered: the pictures first, the word that they are there last. */
    const keep = (id: string, content: Order, clip: Clip): Effect.Effect<void, PlatformError> =>
      Effect.gen(function* () {
        if (clip.lastFrame !== null) yield* replace(join(folder(id), lastFrameFile), clip.lastFrame)
        yield* replace(join(folder(id), videoFile), clip.video)
        yield* write(id, { ...content, renderedAtMs: yield* Clock.currentTimeMillis })
      })

    const isOver = (content: Order, nowMs: number) =>
      nowMs >= (content.renderedAtMs === null ? content.deadlineMs : content.renderedAtMs + lifetimeMs)

    /** Path of a clip's file, while its links work. */
    const file = (id: string, name: string): Effect.Effect<Option.Option<string>, PlatformError> =>
      Effect.gen(function* () {
        const content = yield* read(id)
        const nowMs = yield* Clock.currentTimeMillis
        const isThere = Option.exists(content, ({ renderedAtMs }) => renderedAtMs !== null)
        if (!isThere || Option.exists(content, (one) => isOver(one, nowMs))) return Option.none()
        if (name === videoFile) return Option.some(join(folder(id), name))
        const hasLastFrame = Option.exists(content, ({ scene }) => scene.lastFrame)
        return name === lastFrameFile && hasLastFrame ? Option.some(join(folder(id), name)) : Option.none()
      })

    const sweep = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      for (const id of yield* all) {
        const content = yield* read(id)
        if (Option.exists(content, (one) => isOver(one, nowMs))) yield* fs.remove(folder(id), { recursive: true })
      }
    })

    yield* sweep.pipe(
      Effect.tapErrorCause((cause) => Effect.logWarning("clips were not swept", cause)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.annotateLogs({ fiber: "sandboxClips" }),
      Effect.forkScoped
    )

    return { create, read, write, idOf, keep, file, sweep, lifetimeMs } as const
  })

/** The sandbox's clips and what is known of them: files below the data directory, a folder for each. */
export class Clips extends Context.Tag("gateway/upstreams/sandbox/Clips")<
  Clips,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  static readonly layer = (options: Options) =>
    Layer.scoped(Clips, make(options)).pipe(Layer.provide(BunFileSystem.layer))
}

const isMissing = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "NotFound"

/** One of ours, and so never a path to somewhere else. */
const isId = (id: string): boolean => /^[\w-]{33,200}$/.test(id)
