import { createHmac } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { ownDirectory, ownFiles } from "../config/ownFiles.ts"
import { testDouble } from "../contract/testDouble.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import type { Incoming, Read } from "./checked.ts"
import { FileStore } from "./FileStore.ts"
import type { FilesUnavailable, StoredFile } from "./Files.ts"
import type { NotKept } from "./NotKept.ts"

/** How much may be kept. */
export interface Room {
  /** The largest file. */
  readonly maxBytes: number
  /** What stays free of the disk, so that what else is written there goes on. */
  readonly freeBytes: number
}

const usualRoom: Room = { maxBytes: 2 * 1024 ** 3, freeBytes: 512 * 1024 ** 2 }

interface Options {
  /** The data directory, where an older gateway's secret and files may be. */
  readonly directory: string
  /** How long a file's link works after it was kept. */
  readonly lifetime: Duration.DurationInput
  /** 32 bytes from which ids are made: who has them can guess links. */
  readonly secret: Redacted.Redacted<Uint8Array>
  /** What is left out is as usual: 2 GiB, and 512 MiB that stay free. */
  readonly room?: { readonly [K in keyof Room]?: Room[K] | undefined }
}

/** Files whose links work for so long, and those that are there until they are removed. */
const kept = "kept"
const custody = "custody"

const make = Effect.fnUntraced(function* ({ directory, lifetime, room: given, secret }: Options) {
  const room = {
    maxBytes: given?.maxBytes ?? usualRoom.maxBytes,
    freeBytes: given?.freeBytes ?? usualRoom.freeBytes
  }
  const store = yield* FileStore
  const lifetimeMs = Duration.toMillis(lifetime)
  yield* ownDirectory(join(directory, kept))
  yield* ownFiles(join(directory, "kept.key"), ...below(join(directory, kept)))
  const key = olderSecret(join(directory, "kept.key")) ?? Redacted.value(secret)

  /** Known to nobody who wasn't told, and the same on every node and after a restart. */
  const sign = (by: Uint8Array, names: ReadonlyArray<string>) => createHmac("sha256", by).update(JSON.stringify(names))
  const idOf = (upstream: string, upstreamId: string): string => sign(key, [upstream, upstreamId]).digest("hex")

  /** A kept file, while its link works; none for whatever is no file of ours. */
  const file = (id: string, name: string): Effect.Effect<Option.Option<StoredFile>, FilesUnavailable> => {
    if (!isName(name)) return Effect.succeedNone
    if (isCustodyId(id)) return store.find(`${custody}/${id}/${name}`)
    return isId(id) ? Effect.flatMap(store.find(`${kept}/${id}/${name}`), whileFresh) : Effect.succeedNone
  }

  const whileFresh = (found: Option.Option<StoredFile>) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) =>
      Option.filter(found, ({ modifiedMs }) => nowMs < modifiedMs + lifetimeMs)
    )

  /** Keeps a video that is read piece by piece: there whole or not at all, whenever the process dies. */
  const keep = (id: string, name: string, read: Read): Effect.Effect<void, NotKept | FilesUnavailable> =>
    Effect.asVoid(store.write(`${kept}/${id}/${name}`, { ...room, read, is: "video", synced: false }))

  const sweep = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const old of yield* store.older(kept, nowMs - lifetimeMs)) {
      // One that can't be removed keeps nobody from removing the others.
      yield* Effect.catchAll(store.remove(old), (error) =>
        Effect.logWarning("a kept file was not removed", error.message)
      )
    }
  }).pipe(Effect.catchAll((error) => Effect.logWarning("kept files were not looked through", error.message)))

  yield* daemon("keptFiles", Effect.as(sweep, Effect.sleep("1 hour")), backoff)

  return {
    isAway: store.isAway,
    idOf,
    file,
    keep,
    /** What is there until it is removed, under ids of its own. */
    custody: {
      idOf: (task: string, part: string): string =>
        sign(Redacted.value(secret), [custody, task, part]).digest("base64url"),
      /** One that was made before, and told to nobody. */
      find: (id: string, name: string) => store.find(`${custody}/${id}/${name}`),
      /** Answers its length in bytes, once it would outlive a power cut. */
      keep: (id: string, name: string, incoming: Pick<Incoming, "read" | "declared" | "is">) =>
        store.write(`${custody}/${id}/${name}`, { ...room, ...incoming, synced: true }),
      remove: (id: string, name: string) => store.remove(`${custody}/${id}/${name}`)
    }
  } as const
})

/** What upstreams made, kept where the gateway's files live. */
export class KeptFiles extends Context.Tag("gateway/files/KeptFiles")<
  KeptFiles,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  static readonly layer = (options: Options) =>
    Layer.scoped(KeptFiles, make(options)).pipe(Layer.provide(Daemons.Default))

  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<(typeof KeptFiles)["Service"]>) => testDouble(KeptFiles, given)
}

/** What older gateways made for themselves at their first start: while it is there, their ids and links go on. */
const olderSecret = (path: string): Uint8Array | undefined => {
  if (!existsSync(path)) return undefined
  const key = readFileSync(path)
  return key.length === 32 ? key : undefined
}

/** What is in a folder, at any depth. */
const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path)))

const isId = (id: string): boolean => /^[0-9a-f]{64}$/.test(id)
const isCustodyId = (id: string): boolean => /^[\w-]{43}$/.test(id)
const isName = (name: string): boolean => /^\w+\.\w+$/.test(name)
