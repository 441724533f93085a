import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { FileSystem } from "@effect/platform"
import { BunFileSystem } from "@effect/platform-bun"
import { SystemError } from "@effect/platform/Error"
import type { PlatformError } from "@effect/platform/Error"
import { Clock, Context, Duration, Effect, Either, Layer, Option, Schedule, Schema } from "effect"
import { VideoError } from "../../VideoUpstream.ts"
import type { Clip } from "./scene.ts"

/** A clip that was ordered, as it is kept: enough to go on with after a restart. Times are Unix milliseconds. */
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
const decode = Schema.decodeUnknownSync(Schema.parseJson(Order))

const attempt = <A>(method: string, run: () => A): Either.Either<A, PlatformError> =>
  Either.try({
    try: run,
    catch: (cause) => new SystemError({ reason: "Unknown", module: "FileSystem", method, description: String(cause) })
  })

/**
 * Orders are rows of a small database beside the clips: a folder and a file for each took ten times as long, and made
 * the task's own commits wait for the file system. Nothing here is worth an fsync: after a power cut, a clip that is
 * missing is a failed task of a sandbox.
 */
const openOrders = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(directory, { recursive: true })
      const file = new SqliteFile(join(directory, "orders.db"), { create: true })
      file.run("PRAGMA journal_mode = WAL")
      file.run("PRAGMA synchronous = NORMAL")
      file.run("PRAGMA wal_autocheckpoint = 8000")
      file.run(
        "CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, content TEXT NOT NULL, ends_at REAL) WITHOUT ROWID"
      )
      return {
        file,
        write: file.prepare<null, [id: string, content: string, endsAtMs: number]>(
          "INSERT OR REPLACE INTO orders (id, content, ends_at) VALUES (?, ?, ?)"
        ),
        read: file.prepare<{ content: string }, [id: string]>("SELECT content FROM orders WHERE id = ?"),
        idsBetween: file.prepare<{ id: string }, [first: string, end: string]>(
          "SELECT id FROM orders WHERE id >= ? AND id < ?"
        ),
        idsOver: file.prepare<{ id: string }, [nowMs: number]>("SELECT id FROM orders WHERE ends_at <= ?"),
        remove: file.prepare<null, [id: string]>("DELETE FROM orders WHERE id = ?")
      }
    }),
    ({ file }) => Effect.sync(() => file.close())
  )

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
    const orders = yield* openOrders(options.directory)

    /** It is there whole or not at all, whenever the process dies. */
    const replace = (file: string, bytes: Uint8Array) =>
      Effect.zipRight(fs.writeFile(`${file}.part`, bytes), fs.rename(`${file}.part`, file))

    const write = (id: string, content: Order): Effect.Effect<void, PlatformError> =>
      Effect.suspend(() => attempt("write", () => void orders.write.run(id, encode(content), endOf(content))))

    /** Keeps an order under a new id that begins with the task's and can't be guessed. */
    const create = (taskId: string, content: Order): Either.Either<string, PlatformError> => {
      const id = `${taskId}-${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`
      return Either.map(
        attempt("create", () => void orders.write.run(id, encode(content), endOf(content))),
        () => id
      )
    }

    const read = (id: string): Effect.Effect<Option.Option<Order>, PlatformError> =>
      isId(id)
        ? Effect.map(
            Effect.suspend(() => attempt("read", () => orders.read.get(id))),
            (row) => (row === null ? Option.none() : Option.some(decode(row.content)))
          )
        : Effect.succeedNone

    /** The id that a task's order was given. */
    const idOf = (taskId: string): Effect.Effect<Option.Option<string>, PlatformError> =>
      Effect.map(
        Effect.suspend(() => attempt("idOf", () => orders.idsBetween.all(`${taskId}-`, `${taskId}.`))),
        (rows) => Option.fromNullable(rows.find(({ id }) => id.length === taskId.length + 33)?.id)
      )

    /** Stores what was rendered: the pictures first, the word that they are there last. */
    const keep = (id: string, content: Order, clip: Clip): Effect.Effect<void, PlatformError> =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(folder(id), { recursive: true })
        if (clip.lastFrame !== null) yield* replace(join(folder(id), lastFrameFile), clip.lastFrame)
        yield* replace(join(folder(id), videoFile), clip.video)
        yield* write(id, { ...content, renderedAtMs: yield* Clock.currentTimeMillis })
      })

    /** When its files are removed, and then it. */
    const endOf = (content: Order) =>
      content.renderedAtMs === null ? content.deadlineMs : content.renderedAtMs + lifetimeMs

    const isOver = (content: Order, nowMs: number) => nowMs >= endOf(content)

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
      for (const { id } of yield* attempt("sweep", () => orders.idsOver.all(nowMs))) {
        yield* fs.remove(folder(id), { recursive: true, force: true })
        yield* attempt("sweep", () => void orders.remove.run(id))
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

/** The sandbox's clips and what is known of them, below the data directory: a folder for each one that is there. */
export class Clips extends Context.Tag("gateway/upstreams/sandbox/Clips")<
  Clips,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  static readonly layer = (options: Options) =>
    Layer.scoped(Clips, make(options)).pipe(Layer.provide(BunFileSystem.layer))
}

/** One of ours, and so never a path to somewhere else. */
const isId = (id: string): boolean => /^[\w-]{33,200}$/.test(id)
