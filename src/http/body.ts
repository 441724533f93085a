import { BodyText } from "../contract/bodies/BodyText.ts"
import type { Places } from "../contract/bodies/BodyText.ts"
import type { UploadedFile } from "../contract/bodies/UploadedFile.ts"
import { decompression } from "../contract/bodies/decompression.ts"
import { parseExactly, TooManyLongIntegers } from "../contract/json/exactJson.ts"
import { InvalidRequest, TooLarge, Undecodable, UnsupportedEncoding } from "../contract/failures/Failure.ts"
import type { RateLimited } from "../contract/failures/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { bodyBounds, excessOf, excessWords } from "../contract/json/jsonBounds.ts"
import type { JsonBounds } from "../contract/json/jsonBounds.ts"
import { nulIn } from "../contract/json/nul.ts"
import type { Holding } from "./Unfinished.ts"

/** Each costs as much to parse as dozens of other values. */
const maxLongIntegers = 10_000

/** A request's body, or a socket's message. */
export interface Read {
  /** Undefined if there is none. */
  readonly body: JsonObject | undefined
  /** The text of a long body. */
  readonly bodyText: BodyText | undefined
  /** Processed in steps that yield to other requests. */
  readonly isLarge: boolean
  /** False if it certainly names no file. */
  readonly namesFiles: boolean
  /** A long body on disk. */
  readonly long?: UploadedFile | undefined
}

export const nothing: Read = { body: undefined, bodyText: undefined, isLarge: false, namesFiles: false }

type Unread = TooLarge | UnsupportedEncoding | Undecodable | RateLimited

interface Bounds {
  readonly limit: number
  readonly holding: Holding
}

/** Reads and decodes a body of at most `limit` bytes; rejects if the connection breaks. */
export const readText = (request: Request, limit: number, holding: Holding): Promise<string | Unread> => {
  const declared = request.headers.get("content-length")
  if (declared !== null && Number(declared) > limit) return Promise.resolve(tooLarge(limit))
  const encoding = request.headers.get("content-encoding")
  if (encoding !== null) return readEncoded(request, encoding.trim().toLowerCase(), { limit, holding })
  if (declared !== null) {
    const refused = holding.more(Number(declared), "memory")
    return refused === undefined ? request.text() : Promise.resolve(refused)
  }
  return request.body === null ? Promise.resolve("") : readCounted(request.body, { limit, holding })
}

/** Encodings of request bodies. Codex sends zstd. */
const accepted: ReadonlySet<string> = new Set(["gzip", "x-gzip", "br", "zstd"])

/** Reads a compressed body. Bounds both the compressed and the decompressed bytes. */
const readEncoded = async (request: Request, encoding: string, bounds: Bounds): Promise<string | Unread> => {
  if (request.body === null) return ""
  if (encoding === "identity" || encoding === "") return readCounted(request.body, bounds)
  const unpacking = accepted.has(encoding) ? decompression(encoding) : undefined
  if (unpacking === undefined) {
    return new UnsupportedEncoding({
      message: `Content-Encoding: expected one of gzip, br, zstd, identity; got "${encoding.slice(0, 80)}"`
    })
  }
  const { limit } = bounds
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength
      if (bytes > limit) controller.error(tooLarge(limit))
      else controller.enqueue(chunk)
    }
  })
  try {
    return await readCounted(request.body.pipeThrough(counting).pipeThrough(unpacking), bounds)
  } catch (cause) {
    if (bytes > limit) return tooLarge(limit)
    // A client that is still connected sent something else, or only part of it.
    if (request.signal.aborted) throw cause
    return new Undecodable({ message: `The request body is not ${encoding}, or ends too early` })
  }
}

/** Bodies of this many characters are processed in steps. */
const large = 131_072
export const isLarge = (text: string): boolean => text.length >= large

/** For bodies of this many characters, copying unchanged parts is cheaper than serialising them. */
const worthKeeping = 4_096

export interface Parsed extends Pick<Read, "bodyText" | "namesFiles"> {
  readonly body: JsonObject
}

/** Parses a body within `bodyBounds`. */
export const parse = (text: string): Parsed | InvalidRequest => {
  const places: Places | undefined = text.length < worthKeeping ? undefined : { members: [], keys: 0 }
  const excess = excessOf(text, bodyBounds, places)
  if (excess !== undefined) return refusedFor(excess)
  let body: unknown
  try {
    body = parseExactly(text, maxLongIntegers)
  } catch (cause) {
    if (cause instanceof TooManyLongIntegers) return tooManyLongIntegers
    const why = cause instanceof Error ? cause.message.replace(/^JSON Parse error: /, "") : ""
    return invalid(
      text === "" ? "The request body is empty; expected a JSON object" : `The request body is not JSON: ${why}`
    )
  }
  if (!isJsonObject(body)) return invalid("The request body must be a JSON object")
  const namesFiles = text.includes('"file_id"')
  return nulIn(text, body) ?? { body, bodyText: places && new BodyText(text, body, places), namesFiles }
}

const invalid = (message: string) => new InvalidRequest({ param: null, message })

const tooManyLongIntegers = invalid(
  `The request body has more than ${maxLongIntegers} integers that a double does not hold`
)

/** The body was cut off or badly chunked; the client has usually left. */
export const unreadable = invalid("The request body could not be read to its end")

const tooLarge = (limit: number) => new TooLarge({ message: `The request body is larger than ${limit} bytes` })

/** Reads a body without a declared length, and counts its bytes. */
const readCounted = async (
  body: ReadableStream<Uint8Array>,
  { limit, holding }: Bounds
): Promise<string | TooLarge | RateLimited> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > limit) return tooLarge(limit)
    const refused = holding.more(chunk.byteLength, "memory")
    if (refused !== undefined) return refused
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

const refusedFor = (excess: keyof JsonBounds): InvalidRequest => {
  if (excess === "levels") return invalid(`The request body is nested deeper than ${bodyBounds.levels} levels`)
  return invalid(`The request body has ${excessWords(excess, bodyBounds)}`)
}
