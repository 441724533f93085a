import { Clock, Effect, Option, Schedule } from "effect"
import type { Caller, Holder } from "../contract/callers/Caller.ts"
import type { UploadedFile } from "../contract/bodies/UploadedFile.ts"
import { InvalidRequest, NotFound, Unavailable } from "../contract/failures/Failure.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import type { StoredFile } from "../files/Files.ts"
import type { CreateUpload } from "./Api.ts"
import { keyOf } from "./FileRecord.ts"
import type { PartRecord, UploadRecord } from "./FileRecord.ts"
import { joinedBytes } from "./joinedBytes.ts"
import { beginningBytes } from "./mediaTypeOf.ts"
import { openAIFile } from "./shapes.ts"
import { content, mediaTypeBy, StoredFiles } from "./StoredFiles.ts"
import { mostParts, StoredRows, uploadMs } from "./store/StoredRows.ts"

/** While a process joins parts, it says so again long before this time is over. */
const joiningMs = 3 * 60_000

/** OpenAI's uploads in parts: an upload becomes the file with the same digits in its id. */
export const makeUploads = Effect.gen(function* () {
  const stored = yield* StoredFiles
  const rows = yield* StoredRows

  const find = Effect.fnUntraced(function* (holder: Holder, id: string) {
    const hex = keyOf(id, "upload_")
    const unknown = new NotFound({ param: null, message: `No such upload: ${JSON.stringify(id.slice(0, 100))}` })
    if (hex === undefined) return yield* unknown
    const upload = yield* Effect.orDie(rows.upload(holder, hex))
    if (upload !== undefined) return { hex, upload }
    if (yield* Effect.orDie(rows.isJoining(holder, hex))) return yield* completing
    if ((yield* Effect.orDie(rows.find(holder, hex))) === undefined) return yield* unknown
    return yield* new InvalidRequest({ param: null, message: "The upload is complete already" })
  })

  const create = Effect.fnUntraced(function* (caller: Caller, asked: CreateUpload) {
    const expiresAfterSeconds =
      asked.expires_after === undefined || asked.expires_after === null
        ? undefined
        : Number(asked.expires_after.seconds)
    const words = { name: asked.filename, purpose: asked.purpose, expiresAfterSeconds }
    const file = { bytes: asked.bytes, mediaType: "", state: "upload", ms: uploadMs } as const
    const hex = yield* stored.begin(caller, words, file)
    const { upload } = yield* find(caller, `upload_${hex}`)
    return shown(hex, upload, "pending")
  })

  const addPart = Effect.fnUntraced(function* (holder: Holder, id: string, data: UploadedFile) {
    const { hex, upload } = yield* find(holder, id)
    if (data.bytes === 0) return yield* new InvalidRequest({ param: "data", message: "data: is empty" })
    const part = { id: randomHex(), bytes: data.bytes }
    const added = Effect.filterOrFail(
      Effect.orDie(rows.addPart(upload, hex, part)),
      (isAdded) => isAdded,
      () => wrong("data", `the upload takes no more: it has ${upload.bytes} bytes and at most ${mostParts} parts`)
    )
    // If the upload is gone by then, so are its other parts, and nothing would remove this one.
    const written = Effect.zipRight(stored.write(`${hex}/${part.id}`, data), find(holder, id))
    yield* Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        added,
        Effect.onError(restore(written), () => stored.dropPart(hex, part))
      )
    )
    const nowMs = yield* Clock.currentTimeMillis
    return {
      id: `part_${part.id}`,
      object: "upload.part" as const,
      created_at: Math.floor(nowMs / 1_000),
      upload_id: id
    }
  })

  const complete = Effect.fnUntraced(function* (
    holder: Holder,
    id: string,
    { md5, part_ids: ids }: { readonly part_ids: ReadonlyArray<string>; readonly md5?: string | null | undefined }
  ) {
    const { hex, upload } = yield* find(holder, id)
    const parts = yield* chosen(yield* Effect.orDie(rows.partsOf(hex)), ids)
    const sum = parts.reduce((bytes, part) => bytes + part.bytes, 0)
    if (sum !== upload.bytes)
      return yield* wrong("part_ids", `expected parts of ${upload.bytes} bytes; they have ${sum}`)
    const become = (from: "upload" | "joining") =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        rows.become(hex, from, "joining", { due_at: nowMs + joiningMs })
      )
    const saying = Effect.repeat(Effect.ignoreLogged(become("joining")), Schedule.spaced("1 minute"))
    const taken = Effect.filterOrFail(
      Effect.orDie(become("upload")),
      (isMine) => isMine,
      () => wrong("part_ids", "the upload is being completed or cancelled")
    )
    const joining = Effect.gen(function* () {
      const bytes = yield* Effect.forEach(parts, (part) => storedPart(hex, part))
      const whole = { bytes: upload.bytes, open: joinedBytes(bytes) }
      if (md5 !== undefined && md5 !== null && (yield* digestOf(whole.open)) !== md5.toLowerCase()) {
        return yield* wrong("md5", "the parts have another one")
      }
      const beginning = bytes.slice(0, 1).map((first) => ({ ...first, size: Math.min(first.size, beginningBytes) }))
      const mediaType = yield* mediaTypeBy({ open: joinedBytes(beginning) }, upload.name)
      yield* stored.write(`${hex}/${content}`, whole)
      return yield* stored.finish(holder, hex, "joining", { livesMs: upload.livesMs, mediaType })
    })
    const again = Effect.ignoreLogged(rows.become(hex, "joining", "upload", { due_at: upload.expiresAtMs }))
    const file = yield* Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        taken,
        Effect.onError(restore(Effect.raceFirst(joining, Effect.zipRight(saying, Effect.never))), () => again)
      )
    )
    yield* stored.dropParts(hex)
    return { ...shown(hex, upload, "completed"), file: openAIFile(file) }
  })

  const storedPart = (hex: string, part: PartRecord): Effect.Effect<StoredFile, Unavailable | InvalidRequest> =>
    Effect.flatMap(
      stored.storedAt(`${hex}/${part.id}`),
      Option.match({
        onNone: () => wrong("part_ids", `the bytes of part_${part.id} are not there`),
        onSome: Effect.succeed
      })
    )

  const cancel = Effect.fnUntraced(function* (holder: Holder, id: string) {
    const { hex, upload } = yield* find(holder, id)
    if (!(yield* Effect.orDie(rows.hide(holder, hex, "upload")))) return yield* completing
    yield* Effect.ignoreLogged(stored.drop(hex))
    return shown(hex, upload, "cancelled")
  })

  return { create, addPart, complete, cancel } as const
})

/** The parts that a request names, in its order. */
const chosen = (
  parts: ReadonlyArray<PartRecord>,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<PartRecord>, InvalidRequest> => {
  const byId = new Map(parts.map((part) => [part.id, part]))
  const named = new Set<PartRecord>()
  for (const id of ids) {
    const part = byId.get(keyOf(id, "part_") ?? "")
    if (part === undefined || named.has(part))
      return wrong("part_ids", `the upload has no other part ${JSON.stringify(id.slice(0, 100))}`)
    named.add(part)
  }
  return Effect.succeed([...named])
}

const digestOf = (open: () => () => Promise<Uint8Array | undefined>) =>
  Effect.tryPromise({
    try: async () => {
      const hash = new Bun.CryptoHasher("md5")
      const read = open()
      for (let chunk = await read(); chunk !== undefined; chunk = await read()) hash.update(chunk)
      return hash.digest("hex")
    },
    catch: () => new Unavailable({ message: "The upload's parts can't be read; try again" })
  })

const completing = new InvalidRequest({ param: null, message: "The upload is being completed" })

const wrong = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

const shown = (hex: string, upload: UploadRecord, status: "pending" | "completed" | "cancelled") => ({
  id: `upload_${hex}`,
  object: "upload" as const,
  bytes: upload.bytes,
  created_at: Math.floor(upload.createdAtMs / 1_000),
  expires_at: Math.floor((upload.expiresAtMs ?? upload.createdAtMs) / 1_000),
  filename: upload.name,
  purpose: upload.purpose,
  status,
  file: null
})
