import { createHmac } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { ownDirectoryIfPossible, ownFiles } from "../config/ownFiles.ts"
import { testDouble } from "../contract/testDouble.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import type { Incoming, Read } from "./checkFile.ts"
import { FileStore } from "./FileStore.ts"
import type { FilesUnavailable, StoredFile } from "./Files.ts"
import type { NotKept } from "./NotKept.ts"

/** Bounds on kept files. */
export interface Room {
  /** The largest file, in bytes. */
  readonly maxBytes: number
  /** Disk space that stays free, in bytes. */
  readonly freeBytes: number
}

export const usualRoom: Room = { maxBytes: 2 * 1024 ** 3, freeBytes: 512 * 1024 ** 2 }

interface Options {
  /** The data directory, which may hold an older gateway's secret and files. */
  readonly directory: string
  /** How long a link works. */
  readonly lifetime: Duration.DurationInput
  /** 32 bytes from which ids are derived; anyone who knows them can guess links. */
  readonly secret: Redacted.Redacted<Uint8Array>
  /** By default files of 2 GiB, and 512 MiB that stay free. */
  readonly room?: { readonly [K in keyof Room]?: Room[K] | undefined }
}

/** Rooms for files that expire, and for files that stay until they are removed. */
const kept = "kept"
const custody = "custody"

const make = Effect.fnUntraced(function* ({ directory, lifetime, room: given, secret }: Options) {
  const room = {
    maxBytes: given?.maxBytes ?? usualRoom.maxBytes,
    freeBytes: given?.freeBytes ?? usualRoom.freeBytes
  }
  const store = yield* FileStore
  const lifetimeMs = Duration.toMillis(lifetime)
  if (yield* ownDirectoryIfPossible(join(directory, kept))) {
    yield* ownFiles(join(directory, "kept.key"), ...below(join(directory, kept)))
  }
  const key = olderSecret(join(directory, "kept.key")) ?? Redacted.value(secret)

  /** Unguessable, and the same on every node and after a restart. */
  const sign = (by: Uint8Array, names: ReadonlyArray<string>) => createHmac("sha256", by).update(JSON.stringify(names))
  const idOf = (upstream: string, upstreamId: string): string => sign(key, [upstream, upstreamId]).digest("hex")

  /** The file, unless its link has expired or it is not a kept file. */
  const file = (id: string, name: string): Effect.Effect<Option.Option<StoredFile>, FilesUnavailable> => {
    if (!isName(name)) return Effect.succeedNone
    if (isCustodyId(id)) return store.find(`${custody}/${id}/${name}`)
    return isId(id) ? Effect.flatMap(store.find(`${kept}/${id}/${name}`), whileFresh) : Effect.succeedNone
  }

  const whileFresh = (found: Option.Option<StoredFile>) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) =>
      Option.filter(found, ({ modifiedMs }) => nowMs < modifiedMs + lifetimeMs)
    )

  /** Stores a video from a stream of chunks, atomically. */
  const keep = (id: string, name: string, read: Read): Effect.Effect<void, NotKept | FilesUnavailable> =>
    Effect.asVoid(store.write(`${kept}/${id}/${name}`, { ...room, read, is: "video", synced: false }))

  /** Removes a file before its link expires. */
  const remove = (id: string, name: string) => store.remove(`${kept}/${id}/${name}`)

  const sweep = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const old of yield* store.older(kept, nowMs - lifetimeMs)) {
      // Goes on with the other files.
      yield* Effect.catchAll(store.remove(old), (error) =>
        Effect.logWarning("a kept file could not be removed", error.message)
      )
    }
  }).pipe(Effect.catchAll((error) => Effect.logWarning("kept files could not be listed", error.message)))

  yield* daemon("keptFiles", Effect.as(sweep, Effect.sleep("1 hour")), backoff)

  return {
    isAway: store.isAway,
    idOf,
    file,
    keep,
    remove,
    /** Files that stay until they are removed, with ids of their own. */
    custody: {
      idOf: (task: string, part: string): string =>
        sign(Redacted.value(secret), [custody, task, part]).digest("base64url"),
      /** Finds a copy that was made before a crash. */
      find: (id: string, name: string) => store.find(`${custody}/${id}/${name}`),
      /** Returns the length in bytes, once the file is durable. */
      keep: (id: string, name: string, incoming: Pick<Incoming, "read" | "declared" | "is">) =>
        store.write(`${custody}/${id}/${name}`, { ...room, ...incoming, synced: true }),
      remove: (id: string, name: string) => store.remove(`${custody}/${id}/${name}`)
    }
  } as const
})

/** Upstreams' files, stored with the gateway's. */
export class KeptFiles extends Context.Tag("gateway/files/KeptFiles")<
  KeptFiles,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  static readonly layer = (options: Options) =>
    Layer.scoped(KeptFiles, make(options)).pipe(Layer.provide(Daemons.Default))

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof KeptFiles)["Service"]>) => testDouble(KeptFiles, given)
}

/** The secret that older gateways created at their first start; as long as it exists, their ids and links stay valid. */
const olderSecret = (path: string): Uint8Array | undefined => {
  if (!existsSync(path)) return undefined
  const key = readFileSync(path)
  return key.length === 32 ? key : undefined
}

/** All paths below a folder. */
const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path)))

const isId = (id: string): boolean => /^[0-9a-f]{64}$/.test(id)
const isCustodyId = (id: string): boolean => /^[\w-]{43}$/.test(id)
const isName = (name: string): boolean => /^\w+\.\w+$/.test(name)
