import { createHmac, randomBytes } from "node:crypto"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { BunFileSystem } from "@effect/platform-bun"
import type { PlatformError } from "@effect/platform/Error"
import { Clock, Context, Duration, Effect, Layer, Option, Schedule } from "effect"

interface Options {
  readonly directory: string
  /** How long a file's link works after it was kept. */
  readonly lifetime: Duration.DurationInput
}

const make = ({ directory, lifetime }: Options) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const lifetimeMs = Duration.toMillis(lifetime)
    const files = join(directory, "kept")
    yield* fs.makeDirectory(files, { recursive: true })
    const key = yield* secretAt(fs, join(directory, "kept.key"))

    /** The same for the same upstream and its id, also after a restart, and known to nobody who wasn't told. */
    const idOf = (upstream: string, upstreamId: string): string =>
      createHmac("sha256", key)
        .update(JSON.stringify([upstream, upstreamId]))
        .digest("hex")

    const pathOf = (id: string, name: string) => join(files, id, name)

    /** Path of a kept file, while its link works; none for whatever is no file of ours. */
    const file = (id: string, name: string): Effect.Effect<Option.Option<string>, PlatformError> =>
      isId(id) && isName(name) ? whileFresh(pathOf(id, name)) : Effect.succeedNone

    const whileFresh = (path: string) =>
      Effect.gen(function* () {
        const { mtime } = yield* fs.stat(path)
        const nowMs = yield* Clock.currentTimeMillis
        return Option.as(
          Option.filter(mtime, (at) => nowMs < at.getTime() + lifetimeMs),
          path
        )
      }).pipe(Effect.catchIf(isMissing, () => Effect.succeedNone))

    /** Keeps what `write` puts at the path it is given: there whole or not at all, whenever the process dies. */
    const keep = <E>(
      id: string,
      name: string,
      write: (path: string) => Effect.Effect<void, E>
    ): Effect.Effect<void, E | PlatformError> => {
      const path = pathOf(id, name)
      return fs
        .makeDirectory(join(files, id), { recursive: true })
        .pipe(Effect.zipRight(write(`${path}.part`)), Effect.zipRight(fs.rename(`${path}.part`, path)))
    }

    const sweep = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      for (const id of yield* fs.readDirectory(files)) {
        const { mtime } = yield* fs.stat(join(files, id))
        if (Option.exists(mtime, (at) => nowMs >= at.getTime() + lifetimeMs)) {
          yield* fs.remove(join(files, id), { recursive: true })
        }
      }
    })

    yield* sweep.pipe(
      Effect.tapErrorCause((cause) => Effect.logWarning("kept files were not swept", cause)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.annotateLogs({ fiber: "keptFiles" }),
      Effect.forkScoped
    )

    return { idOf, file, keep } as const
  })

/** What upstreams made and only we can fetch, kept below the data directory for as long as its links work. */
export class KeptFiles extends Context.Tag("gateway/upstreams/KeptFiles")<
  KeptFiles,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  static readonly layer = (options: Options) =>
    Layer.scoped(KeptFiles, make(options)).pipe(Layer.provide(BunFileSystem.layer))
}

/** Read, or made at the first start. */
const secretAt = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Uint8Array, PlatformError> =>
  fs.readFile(path).pipe(
    Effect.filterOrElse(
      (key) => key.length === 32,
      () => renewed(fs, path)
    ),
    Effect.catchIf(isMissing, () => renewed(fs, path))
  )

const renewed = (fs: FileSystem.FileSystem, path: string) => {
  const key = randomBytes(32)
  return Effect.as(
    Effect.zipRight(fs.writeFile(`${path}.part`, key, { mode: 0o600 }), fs.rename(`${path}.part`, path)),
    key
  )
}

const isMissing = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "NotFound"
const isId = (id: string): boolean => /^[0-9a-f]{64}$/.test(id)
const isName = (name: string): boolean => /^\w+\.\w+$/.test(name)
