import { BodyText } from "../contract/BodyText.ts"
import type { Places } from "../contract/BodyText.ts"
import { parseExactly, TooManyLongIntegers } from "../contract/exactJson.ts"
import { InvalidRequest, TooLarge, Undecodable, UnsupportedEncoding } from "../contract/Failure.ts"
import type { RateLimited } from "../contract/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { bodyBounds, excessOf, excessWords } from "../contract/jsonBounds.ts"
import type { JsonBounds } from "../contract/jsonBounds.ts"
import type { BodyReading } from "./BodyBudget.ts"
import { nulIn } from "./nul.ts"

/** Each costs as much as dozens of other values. */
const maxLongIntegers = 10_000

/** What came as a body, or as a message of a socket. */
export interface Read {
  readonly body: unknown
  /** What the body was read from, where that is long. */
  readonly bodyText: BodyText | undefined
  /** Whether it is worked on in steps. */
  readonly isLarge: boolean
}

export const nothing: Read = { body: undefined, bodyText: undefined, isLarge: false }

type Unread = TooLarge | UnsupportedEncoding | Undecodable | RateLimited

interface Bounds {
  readonly limit: number
  readonly reading: BodyReading
}

/** Reads a body of at most `limit` bytes, decoded; rejects where it can't be read to its end. */
export const readText = (request: Request, limit: number, reading: BodyReading): Promise<string | Unread> => {
  const declared = request.headers.get("content-length")
  if (declared !== null && Number(declared) > limit) return Promise.resolve(tooLarge(limit))
  const encoding = request.headers.get("content-encoding")
  if (encoding !== null) return readEncoded(request, encoding.trim().toLowerCase(), { limit, reading })
  if (declared !== null) {
    const refused = reading.more(Number(declared))
    return refused === undefined ? request.text() : Promise.resolve(refused)
  }
  return request.body === null ? Promise.resolve("") : readCounted(request.body, { limit, reading })
}

/** Clients of some languages compress what they send. What comes out is bounded, and what goes in: it may be nothing. */
const readEncoded = async (request: Request, encoding: string, bounds: Bounds): Promise<string | Unread> => {
  if (request.body === null) return ""
  if (encoding === "identity" || encoding === "") return readCounted(request.body, bounds)
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    return new UnsupportedEncoding({
      message: `Content-Encoding: expected gzip or identity; got "${encoding.slice(0, 80)}"`
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
    return await readCounted(request.body.pipeThrough(counting).pipeThrough(new DecompressionStream("gzip")), bounds)
  } catch (cause) {
    if (bytes > limit) return tooLarge(limit)
    // Whoever hung up is told nothing; whoever is there sent something else.
    if (request.signal.aborted) throw cause
    return new Undecodable({ message: "The request body is not gzip, or ends too early" })
  }
}

/** From so many characters on a body is worked on in steps. */
const large = 131_072
export const isLarge = (text: string): boolean => text.length >= large

/** From so many characters on it costs less to send on what is unchanged as it came than to write it anew. */
const worthKeeping = 4_096

/** A JSON object that somebody sent. */
export interface Parsed extends Pick<Read, "bodyText"> {
  readonly body: JsonObject
}

/** Parses a body; what it answers on failure is an `InvalidRequest`. */
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
  return nulIn(text, body) ?? { body, bodyText: places && new BodyText(text, body, places) }
}

const invalid = (message: string) => new InvalidRequest({ param: null, message })

const tooManyLongIntegers = invalid(
  `The request body has more than ${maxLongIntegers} integers that a double does not hold`
)

/** Cut off, or chunked in a way that nobody can read; mostly there is no one left to be told. */
export const unreadable = invalid("The request body could not be read to its end")

const tooLarge = (limit: number) => new TooLarge({ message: `The request body is larger than ${limit} bytes` })

/** A body without a declared length is counted while it comes. */
const readCounted = async (
  body: ReadableStream<Uint8Array>,
  { limit, reading }: Bounds
): Promise<string | TooLarge | RateLimited> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > limit) return tooLarge(limit)
    const refused = reading.more(chunk.byteLength)
    if (refused !== undefined) return refused
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** What a body has too many of. */
const refusedFor = (excess: keyof JsonBounds): InvalidRequest => {
  if (excess === "levels") return invalid(`The request body is nested deeper than ${bodyBounds.levels} levels`)
  return invalid(`The request body has ${excessWords(excess, bodyBounds)}`)
}
