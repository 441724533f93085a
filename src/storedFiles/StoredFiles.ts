import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Option } from "effect"
import type { Caller, Holder } from "../contract/callers/Caller.ts"
import { Forbidden, InvalidRequest, NotFound, TooLarge, Unavailable } from "../contract/failures/Failure.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import { Settings } from "../config/Settings.ts"
import type { Read } from "../files/checkFile.ts"
import { FileStore } from "../files/FileStore.ts"
import type { FilesUnavailable, StoredFile } from "../files/Files.ts"
import { usualRoom } from "../files/KeptFiles.ts"
import type { NotKept } from "../files/NotKept.ts"
import { keyOf } from "./FileRecord.ts"
import type { FileRecord, PartRecord } from "./FileRecord.ts"
import { fileName } from "./fileName.ts"
import { beginningBytes, mediaTypeOf } from "./mediaTypeOf.ts"
import { StoredRows } from "./store/StoredRows.ts"
import type { FilePage } from "./store/StoredRows.ts"

/** The quota of accounts without their own `files_bytes`. */
const usualQuota = 100 * 1024 ** 3

/** A file that is not written by then is given up, with its bytes. */
const writingMs = 6 * 60 * 60_000

/** The account and key that a file is for. */
export type Owner = Pick<Caller, "account" | "key" | "filesBytes">

/** An owner's description of a file. */
export interface FileWords {
  readonly name: string | null
  readonly purpose: string
  /** From its creation. By default the setting's, or until it is deleted. */
  readonly expiresAfterSeconds?: number | undefined
}

/** The bytes of a file, which can be read more than once. */
export interface FileBytes {
  /** The exact length. */
  readonly bytes: number
  /** Starts to read: each call returns the next chunk; undefined at the end. */
  readonly open: () => Read
}

type NotStored = Forbidden | InvalidRequest | TooLarge | Unavailable

/**
 * Files that accounts keep here. A file belongs to its account, and there to the person of its key; to all others it is
 * unknown.
 */
export class StoredFiles extends Effect.Service<StoredFiles>()("gateway/storedFiles/StoredFiles", {
  dependencies: [StoredRows.Default],
  effect: Effect.gen(function* () {
    const rows = yield* StoredRows
    const store = yield* FileStore
    const { retention, room } = yield* Settings
    const bounds = {
      maxBytes: room.maxBytes ?? usualRoom.maxBytes,
      freeBytes: room.freeBytes ?? usualRoom.freeBytes
    }

    /** A file's life in milliseconds; null if it stays until it is deleted. */
    const lifeOf = ({ expiresAfterSeconds }: FileWords): number | null => {
      const own = expiresAfterSeconds === undefined ? Infinity : expiresAfterSeconds * 1_000
      const livesMs = Math.min(own, retention.storedFilesMs)
      return Number.isFinite(livesMs) ? livesMs : null
    }

    /** Adds the row of a file whose bytes follow. Fails if the account's quota does not allow them. */
    const begin = Effect.fnUntraced(function* (
      owner: Owner,
      words: FileWords,
      file: {
        readonly bytes: number
        readonly mediaType: string
        readonly state: "writing" | "upload"
        readonly ms: number
      }
    ): Effect.fn.Return<string, Forbidden | TooLarge> {
      if (file.bytes > bounds.maxBytes) return yield* tooLarge(bounds.maxBytes)
      const hex = randomHex()
      const nowMs = yield* Clock.currentTimeMillis
      const { account, filesBytes: quota = usualQuota, key } = owner
      const { bytes, mediaType, ms, state } = file
      const row = {
        hex,
        account,
        key,
        name: fileName(words.name),
        purpose: words.purpose,
        mediaType,
        bytes,
        state,
        createdAtMs: nowMs,
        livesMs: lifeOf(words),
        dueAtMs: nowMs + ms
      }
      if (yield* Effect.orDie(rows.add(row, quota))) return hex
      return yield* overQuota(bytes, yield* Effect.orDie(rows.bytesOf(account)), quota)
    })

    /** Writes bytes of a file that has a row. */
    const write = (name: string, { bytes, open }: FileBytes): Effect.Effect<void, TooLarge | Unavailable> =>
      Effect.suspend(() =>
        store.write(`${folder}/${name}`, { ...bounds, declared: bytes, read: open(), is: "any", synced: true })
      ).pipe(Effect.asVoid, Effect.catchTags({ NotKept: notKept, FilesUnavailable: away }))

    const storedAt = (name: string): Effect.Effect<Option.Option<StoredFile>, Unavailable> =>
      Effect.catchAll(store.find(`${folder}/${name}`), away)

    const removePart = (hex: string, part: PartRecord): Effect.Effect<void, SqlError | FilesUnavailable> =>
      Effect.zipRight(store.remove(`${folder}/${hex}/${part.id}`), rows.removePart(hex, part))

    const removeParts = Effect.fnUntraced(function* (hex: string) {
      for (const part of yield* rows.partsOf(hex)) yield* removePart(hex, part)
    })

    /** Removes a part that its upload does not get. */
    const dropPart = (hex: string, part: PartRecord): Effect.Effect<void> =>
      Effect.catchAll(removePart(hex, part), logged)

    /** Removes the parts of a complete upload. Those that are left go with its file. */
    const dropParts = (hex: string): Effect.Effect<void> => Effect.catchAll(removeParts(hex), logged)

    /** Removes the bytes of a hidden file, its parts and its row. What fails is done again when the row is due. */
    const drop = (hex: string): Effect.Effect<void, SqlError | FilesUnavailable> =>
      Effect.gen(function* () {
        yield* removeParts(hex)
        yield* store.remove(`${folder}/${hex}/${content}`)
        yield* rows.remove(hex)
      })

    /** Gives up a file whose bytes did not come. */
    const giveUp = (hex: string): Effect.Effect<void> =>
      Effect.zipRight(rows.become(hex, "writing", "removing", { due_at: 0 }), drop(hex)).pipe(Effect.catchAll(logged))

    /** Makes a file ready once its bytes are durable. */
    const finish = Effect.fnUntraced(function* (
      holder: Holder,
      hex: string,
      from: "writing" | "joining",
      { livesMs, mediaType }: { readonly livesMs: number | null; readonly mediaType: string }
    ): Effect.fn.Return<FileRecord, Unavailable> {
      const nowMs = yield* Clock.currentTimeMillis
      const due = livesMs === null ? null : nowMs + livesMs
      const columns = { created_at: nowMs, due_at: due, media_type: mediaType }
      const isReady = yield* Effect.orDie(rows.become(hex, from, "ready", columns))
      const file = yield* Effect.orDie(rows.find(holder, hex))
      if (isReady && file !== undefined) return file
      // Another process may have made it ready since this one was taken for dead.
      if (file === undefined) yield* Effect.catchAll(store.remove(`${folder}/${hex}/${content}`), logged)
      return yield* new Unavailable({ message: "The file took too long to store; try again" })
    })

    /** Stores a file. Durable when it succeeds; nothing is left if it fails. */
    const put = Effect.fnUntraced(function* (
      owner: Owner,
      words: FileWords,
      given: FileBytes
    ): Effect.fn.Return<FileRecord, NotStored> {
      if (given.bytes === 0) return yield* new InvalidRequest({ param: "file", message: "file: is empty" })
      const mediaType = yield* mediaTypeBy(given, fileName(words.name))
      const begun = begin(owner, words, { bytes: given.bytes, mediaType, state: "writing", ms: writingMs })
      const written = (hex: string) =>
        Effect.zipRight(
          write(`${hex}/${content}`, given),
          finish({ account: owner.account }, hex, "writing", { livesMs: lifeOf(words), mediaType })
        )
      // A caller that leaves while the row is added would leave it behind.
      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(begun, (hex) => Effect.onError(restore(written(hex)), () => giveUp(hex)))
      )
    })

    /** Removes what killed processes left half written. Whole files have rows. */
    const removeHalves = Effect.asVoid(store.older(folder, 0))

    /** A file of the holder's; undefined if the id is none of the gateway's. */
    const known = (holder: Holder, id: string): Effect.Effect<FileRecord | undefined> => {
      const hex = keyOf(id)
      return hex === undefined ? Effect.succeed(undefined) : Effect.orDie(rows.find(holder, hex))
    }

    const find = (holder: Holder, id: string): Effect.Effect<FileRecord, NotFound> =>
      Effect.flatMap(known(holder, id), (file) => (file === undefined ? notFound(id) : Effect.succeed(file)))

    /** The bytes of a file that was found. */
    const bytesOf = Effect.fnUntraced(function* ({
      id
    }: FileRecord): Effect.fn.Return<StoredFile, NotFound | Unavailable> {
      const stored = yield* storedAt(`${keyOf(id) ?? ""}/${content}`)
      if (Option.isSome(stored)) return stored.value
      yield* Effect.annotateLogs(Effect.logWarning("a file's bytes are not in the file storage"), { file: id })
      return yield* notFound(id)
    })

    const read = Effect.fnUntraced(function* (holder: Holder, id: string) {
      const file = yield* find(holder, id)
      return { file, stored: yield* bytesOf(file) }
    })

    const list = (holder: Holder, page: FilePage): Effect.Effect<ReadonlyArray<FileRecord>> =>
      Effect.orDie(rows.list(holder, page))

    const remove = Effect.fnUntraced(function* (holder: Holder, id: string): Effect.fn.Return<void, NotFound> {
      const hex = keyOf(id)
      if (hex === undefined || !(yield* Effect.orDie(rows.hide(holder, hex, "ready")))) return yield* notFound(id)
      yield* Effect.catchAll(drop(hex), logged)
    })

    return {
      put,
      known,
      find,
      read,
      bytesOf,
      list,
      remove,
      begin,
      write,
      storedAt,
      finish,
      drop,
      dropPart,
      dropParts,
      removeHalves
    } as const
  })
}) {}

/** The room of their keys in the file storage. Callers' names are in the rows alone. */
const folder = "stored"
export const content = "content"

/** A file's type by its beginning. */
export const mediaTypeBy = ({ open }: Pick<FileBytes, "open">, name: string): Effect.Effect<string, Unavailable> =>
  Effect.map(
    Effect.tryPromise({
      try: async () => {
        const read = open()
        let bytes = await read()
        while (bytes !== undefined && bytes.length < beginningBytes) {
          const more = await read()
          if (more === undefined) break
          bytes = Buffer.concat([bytes, more])
        }
        return (bytes ?? new Uint8Array()).subarray(0, beginningBytes)
      },
      catch: () => new Unavailable({ message: "The file can't be read; try again" })
    }),
    (bytes) => mediaTypeOf(bytes, name)
  )

const tooLarge = (maxBytes: number) => new TooLarge({ message: `file: expected at most ${maxBytes} bytes` })

const notKept = ({ message, why }: NotKept) =>
  why === "too-large"
    ? new TooLarge({ message: `file: ${message}` })
    : Effect.zipRight(
        Effect.logWarning("a caller's file was not stored", message),
        new Unavailable({ message: "The gateway can't store the file at the moment; try again later" })
      )

/** The log has the outage. */
const away = () => new Unavailable({ message: "The gateway's file storage does not answer; try again later" })

const overQuota = (bytes: number, taken: number, quota: number) =>
  new Forbidden({
    message: `The account's files would take more than it may store: ${taken} bytes are taken, the file has ${bytes}, and ${quota} are allowed (files_bytes). Delete files first`
  })

const notFound = (id: string) =>
  new NotFound({ param: null, message: `No such file: ${JSON.stringify(id.slice(0, 100))}` })

const logged = (error: { readonly message: string }) =>
  Effect.logWarning("a caller's file could not be removed yet", error.message)
