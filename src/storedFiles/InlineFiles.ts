import { Context, Effect, Layer } from "effect"
import type { Caller, Holder } from "../contract/callers/Caller.ts"
import { InvalidRequest, Unavailable } from "../contract/failures/Failure.ts"
import type { NotFound, RateLimited, TooLarge } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { pathTo } from "../contract/json/pathTo.ts"
import { withUnknownOf } from "../contract/open.ts"
import { filesAtOnce, mostBytes, mostFiles, mostOfAll } from "../guard/CallerFiles.ts"
import { makeShares } from "../guard/shares.ts"
import { keyOf } from "./FileRecord.ts"
import type { FileRecord } from "./FileRecord.ts"
import { filesNamed, mayBe, withFiles } from "./fileParts.ts"
import type { InlineFile, NamedFile } from "./fileParts.ts"
import { isTextType } from "./mediaTypeOf.ts"
import { StoredFiles } from "./StoredFiles.ts"

interface Asking<Payload> {
  readonly caller: Caller
  readonly payload: Payload
  readonly request: Incoming
}

type NotPut = InvalidRequest | NotFound | RateLimited | TooLarge | Unavailable

interface Inlining {
  /**
   * The request with the files that this gateway keeps, as the caller would have sent their bytes; undefined if it can
   * name none. Ids that it does not keep stay: they are their upstream's.
   */
  readonly put: <A extends Asking<unknown>>(asking: A) => Effect.Effect<A, NotPut> | undefined
  /** Stored parts of a request in the same way. */
  readonly putIn: <A>(
    holder: Holder,
    value: A,
    request: Pick<Incoming, "record">
  ) => Effect.Effect<A, NotPut> | undefined
}

/** Puts the bytes of the account's files into requests that name them. By itself it keeps none. */
export class InlineFiles extends Context.Reference<InlineFiles>()("gateway/storedFiles/InlineFiles", {
  defaultValue: (): Inlining => ({ put: () => undefined, putIn: () => undefined })
}) {
  static readonly layer = Layer.suspend(() => Layer.effect(InlineFiles, make))
}

const make = Effect.gen(function* () {
  const stored = yield* StoredFiles
  const shares = makeShares(filesAtOnce)

  const bytesOf = Effect.fnUntraced(function* (file: FileRecord): Effect.fn.Return<InlineFile, NotFound | Unavailable> {
    const { part, size } = yield* stored.bytesOf(file)
    const bytes = yield* Effect.tryPromise({
      try: async () => Buffer.from(await new Response(part(0, size - 1)).arrayBuffer()),
      catch: () => new Unavailable({ message: "The gateway's file storage does not answer; try again later" })
    })
    const { mediaType, name } = file
    return {
      name,
      mediaType,
      base64: bytes.toString("base64"),
      text: isTextType(mediaType) ? bytes.toString() : undefined
    }
  })

  /** The bytes of the files that a value names. Ids that this gateway does not keep are left out. */
  const filesOf = Effect.fnUntraced(function* (
    holder: Holder,
    value: unknown,
    named: ReadonlyArray<NamedFile>,
    { record }: Pick<Incoming, "record">
  ): Effect.fn.Return<ReadonlyMap<string, InlineFile>, NotPut> {
    const refused = (id: string, reason: string) => {
      const param = pathTo(value, idFields, id) ?? "file_id"
      return new InvalidRequest({ param, message: `${param}: ${reason}` })
    }
    const ids = new Set(named.map(({ id }) => id))
    const [first = ""] = ids
    if (ids.size > mostFiles) return yield* refused(first, `expected at most ${mostFiles} files in a request`)
    const records = new Map<string, FileRecord>()
    for (const id of ids) {
      const file = yield* stored.known(holder, id)
      if (file !== undefined) records.set(id, file)
    }
    let bytes = 0
    for (const { id } of named) {
      const { bytes: size = 0, name = "" } = records.get(id) ?? {}
      // The name too: of short files there may be many.
      bytes += size + Buffer.byteLength(name)
      if (size > mostBytes) return yield* refused(id, `expected a file of at most ${mostBytes} bytes`)
      if (bytes > mostOfAll) {
        return yield* refused(id, `expected at most ${mostOfAll} bytes in all files, each as often as it is named`)
      }
    }
    // They are in memory as the body was.
    const excess = bytes === 0 ? undefined : record?.holding?.more(2 * bytes, "memory")
    if (excess !== undefined) return yield* excess
    for (const { id, kind } of named) {
      const mediaType = records.get(id)?.mediaType
      if (mediaType !== undefined && !mayBe(kind, mediaType)) {
        const expected = kind === "image" ? "an image" : "a PDF or a text"
        return yield* refused(id, `expected ${expected}; the file is ${mediaType}`)
      }
    }
    const reading = Effect.forEach(records, ([id, record]) =>
      Effect.map(bytesOf(record), (file) => [id, file] as const)
    )
    return new Map(records.size === 0 ? [] : yield* shares.within(holder.account, reading))
  })

  const keptIn = (value: unknown) => filesNamed(value).filter(({ id }) => keyOf(id) !== undefined)

  const put: Inlining["put"] = (asking) => {
    const { caller, payload, request } = asking
    const named = keptIn(request.body)
    if (named.length === 0) return undefined
    return Effect.map(filesOf(caller, request.body, named, request), (files) => {
      if (files.size === 0) return asking
      const given = withFiles(payload, files)
      return {
        ...asking,
        payload: typeof payload === "object" && payload !== null ? withUnknownOf(given, payload) : given,
        request: { ...request, body: withFiles(request.body, files), isLarge: true, namesFiles: false }
      }
    })
  }

  const putIn: Inlining["putIn"] = (holder, value, request) => {
    const named = keptIn(value)
    if (named.length === 0) return undefined
    return Effect.map(filesOf(holder, value, named, request), (files) => withFiles(value, files))
  }

  return { put, putIn }
})

const idFields: ReadonlySet<string> = new Set(["file_id"])
