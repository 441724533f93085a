import { BodyText } from "../contract/BodyText.ts"
import type { Places } from "../contract/BodyText.ts"
import { InvalidRequest, TooLarge, Undecodable, UnsupportedEncoding } from "../contract/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { nulIn } from "./nul.ts"

/** What goes beyond these is refused before `JSON.parse`: parsing, decoding or serialising it could stall everyone. */
const maxDepth = 64
const maxKeys = 100_000
/** Of one object: the engine handles thousands of different keys at a tenth of its usual speed. */
const maxKeysOfObject = 10_000
/** Keys, array elements and brackets together. */
const maxValues = 300_000

/** What came as a body, or as a message of a socket. */
export interface Read {
  readonly body: unknown
  /** What the body was read from, where that is long. */
  readonly bodyText: BodyText | undefined
  /** Whether it is worked on in steps. */
  readonly isLarge: boolean
}

export const nothing: Read = { body: undefined, bodyText: undefined, isLarge: false }

type Unread = TooLarge | UnsupportedEncoding | Undecodable

/** Reads a body of at most `limit` bytes, decoded; rejects where it can't be read to its end. */
export const readText = (request: Request, limit: number): Promise<string | Unread> => {
  const declared = request.headers.get("content-length")
  if (declared !== null && Number(declared) > limit) return Promise.resolve(tooLarge(limit))
  const encoding = request.headers.get("content-encoding")
  if (encoding !== null) return readEncoded(request, encoding.trim().toLowerCase(), limit)
  if (declared !== null) return request.text()
  return request.body === null ? Promise.resolve("") : readCounted(request.body, limit)
}

/** Clients of some languages compress what they send. What comes out is bounded, and what goes in: it may be nothing. */
const readEncoded = async (request: Request, encoding: string, limit: number): Promise<string | Unread> => {
  if (request.body === null) return ""
  if (encoding === "identity" || encoding === "") return readCounted(request.body, limit)
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    return new UnsupportedEncoding({
      message: `Content-Encoding: expected gzip or identity; got "${encoding.slice(0, 80)}"`
    })
  }
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength
      if (bytes > limit) controller.error(tooLarge(limit))
      else controller.enqueue(chunk)
    }
  })
  try {
    return await readCounted(request.body.pipeThrough(counting).pipeThrough(new DecompressionStream("gzip")), limit)
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

/** Elements of one list whose places are noted; longer ones go as they came as a whole, or are written anew. */
const mostMarks = 10_000

/** From so many characters on it costs less to send on what is unchanged as it came than to write it anew. */
const worthKeeping = 4_096

/** A JSON object that somebody sent. */
export interface Parsed extends Pick<Read, "bodyText"> {
  readonly body: JsonObject
}

/** Parses a body; what it answers on failure is an `InvalidRequest`. */
export const parse = (text: string): Parsed | InvalidRequest => {
  const places: Places | undefined = text.length < worthKeeping ? undefined : { members: [], keys: 0 }
  const excess = scan(text, places)
  if (excess !== undefined) return excess
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^JSON Parse error: /, "") : ""
    return invalid(
      text === "" ? "The request body is empty; expected a JSON object" : `The request body is not JSON: ${why}`
    )
  }
  if (!isJsonObject(body)) return invalid("The request body must be a JSON object")
  return nulIn(text, body) ?? { body, bodyText: places && new BodyText(text, body, places) }
}

const invalid = (message: string) => new InvalidRequest({ param: null, message })

/** Cut off, or chunked in a way that nobody can read; mostly there is no one left to be told. */
export const unreadable = invalid("The request body could not be read to its end")

const tooLarge = (limit: number) => new TooLarge({ message: `The request body is larger than ${limit} bytes` })

/** A body without a declared length is counted while it comes. */
const readCounted = async (body: ReadableStream<Uint8Array>, limit: number): Promise<string | TooLarge> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > limit) return tooLarge(limit)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** One pass over the text: counts nesting and keys outside of strings, and notes where the object's members stand. */
const scan = (text: string, places: Places | undefined): InvalidRequest | undefined => {
  // Too short to break a rule: 65 levels take 130 characters, and most requests are answered before that matters.
  if (text.length < 2 * maxDepth) return undefined
  let depth = 0
  let keys = 0
  let values = 0
  /** Keys seen so far of the object that is open at each depth. */
  const keysAt = new Int32Array(maxDepth + 1)
  /** Of the member that is open: where it began, its colon, and its marks, which are noted only while it is a list. */
  let from = 0
  let colon = 0
  let marks: Array<number> = []
  let isList = false
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i)
        break
      case 0x7b: // {
        if (++depth > maxDepth) return tooDeep
        if (depth === 1) from = i + 1
        keysAt[depth] = 0
        if (++values > maxValues) return tooMany(maxValues, "values")
        break
      case 0x5b: // [
        if (++depth > maxDepth) return tooDeep
        if (depth === 2) {
          isList = true
          marks.push(i)
        }
        keysAt[depth] = 0
        if (++values > maxValues) return tooMany(maxValues, "values")
        break
      case 0x7d: // }
        if (--depth === 0 && colon > 0) places?.members.push({ from, colon, to: i, marks })
        break
      case 0x5d: // ]
        if (--depth === 1 && isList) {
          isList = false
          marks.push(i)
        }
        break
      case 0x3a: // :
        if (depth === 1) colon = i
        if (++keys > maxKeys) return tooMany(maxKeys, "keys")
        keysAt[depth] = (keysAt[depth] ?? 0) + 1
        if ((keysAt[depth] ?? 0) > maxKeysOfObject) return tooMany(maxKeysOfObject, "keys in one object")
        break
      case 0x2c: // ,
        if (depth === 1) {
          places?.members.push({ from, colon, to: i, marks })
          from = i + 1
          if (marks.length > 0) marks = []
        } else if (depth === 2 && isList && marks.length < mostMarks) marks.push(i)
        if (++values > maxValues) return tooMany(maxValues, "values")
        break
    }
  }
  if (places !== undefined) places.keys = keys
  return undefined
}

const tooDeep = invalid(`The request body is nested deeper than ${maxDepth} levels`)

const tooMany = (most: number, what: string) => invalid(`The request body has more than ${most} ${what}`)

/** Index of the quote that closes the string opened at `start`; strings are long (images), so native search finds it. */
const endOfString = (text: string, start: number): number => {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
    // Where one quote is escaped many are: each search costs more than a look at what lies between two of them.
    let next = end + 1
    for (let plain = 0; plain < 64 && next < text.length; plain++) {
      const code = text.charCodeAt(next)
      if (code === 0x22) return next
      if (code === 0x5c) plain = -1
      next += code === 0x5c ? 2 : 1
    }
    if (next >= text.length) return text.length
    end = next - 1
  }
}
