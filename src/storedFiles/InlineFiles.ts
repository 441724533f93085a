import { Context, Effect, Layer } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
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
import type { InlineFile } from "./fileParts.ts"
import { isTextType } from "./mediaTypeOf.ts"
import { StoredFiles } from "./StoredFiles.ts"

interface Asking<Payload> {
  readonly caller: Caller
  readonly payload: Payload
  readonly request: Incoming
}

interface Inlining {
  /**
   * The request with the files that this gateway keeps, as the caller would have sent their bytes; undefined if it can
   * name none. Ids that it does not keep stay: they are their upstream's.
   */
  readonly put: <A extends Asking<unknown>>(
    asking: A
  ) => Effect.Effect<A, InvalidRequest | NotFound | RateLimited | TooLarge | Unavailable> | undefined
}

/** Puts the bytes of the account's files into requests that name them. By itself it keeps none. */
export class InlineFiles extends Context.Reference<InlineFiles>()("gateway/storedFiles/InlineFiles", {
  defaultValue: (): Inlining => ({ put: () => undefined })
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

  const put: Inlining["put"] = (asking) => {
    const { caller, payload, request } = asking
    const named = filesNamed(request.body).filter(({ id }) => keyOf(id) !== undefined)
    if (named.length === 0) return undefined
    const refused = (id: string, reason: string) => {
      const param = pathTo(request.body, idFields, id) ?? "file_id"
      return new InvalidRequest({ param, message: `${param}: ${reason}` })
    }
    return Effect.gen(function* () {
      const ids = new Set(named.map(({ id }) => id))
      const [first = ""] = ids
      if (ids.size > mostFiles) return yield* refused(first, `expected at most ${mostFiles} files in a request`)
      const records = new Map<string, FileRecord>()
      for (const id of ids) {
        const record = yield* stored.known(caller, id)
        if (record !== undefined) records.set(id, record)
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
      const excess = bytes === 0 ? undefined : request.record?.holding?.more(2 * bytes, "memory")
      if (excess !== undefined) return yield* excess
      for (const { id, kind } of named) {
        const mediaType = records.get(id)?.mediaType
        if (mediaType !== undefined && !mayBe(kind, mediaType)) {
          const expected = kind === "image" ? "an image" : "a PDF or a text"
          return yield* refused(id, `expected ${expected}; the file is ${mediaType}`)
        }
      }
      if (records.size === 0) return asking
      const reading = Effect.forEach(records, ([id, record]) =>
        Effect.map(bytesOf(record), (file) => [id, file] as const)
      )
      const files = new Map(yield* shares.within(caller.account, reading))
      const given = withFiles(payload, files)
      return {
        ...asking,
        payload: typeof payload === "object" && payload !== null ? withUnknownOf(given, payload) : given,
        request: { ...request, body: withFiles(request.body, files), isLarge: true, namesFiles: false }
      }
    })
  }

  return { put }
})

const idFields: ReadonlySet<string> = new Set(["file_id"])
