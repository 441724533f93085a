import { NotKept } from "./NotKept.ts"
import { kindOf, tellingBytes } from "./kindOf.ts"

/** The next piece of a file; undefined at its end. */
export type Read = () => Promise<Uint8Array | undefined>

/** A file that comes in, and what it must be. */
export interface Incoming {
  readonly read: Read
  /** The largest it may be, in bytes. */
  readonly maxBytes: number
  /** What stays free of the disk that it is written to, so that what else is written there goes on; in bytes. */
  readonly freeBytes: number
  /** Its length, where whoever sends it has said so. */
  readonly declared?: number | undefined
  /** What its first bytes must say that it is. */
  readonly is: "video" | "image"
  /** Whether it must outlive a power cut. */
  readonly synced: boolean
}

/** A file whose first bytes were looked at. */
export interface Checked {
  /** As it was given; rejects with `NotKept` where a bound is passed, and at an end that is none. */
  readonly read: Read
  /** What has come so far, in bytes. */
  readonly length: () => number
}

/** Looks at the first bytes before anything is stored of them, and at each bound as the rest comes. */
export const checked = async ({ declared, is, maxBytes, read: given }: Incoming): Promise<Checked> => {
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes)
  const read = () => given().catch(brokenOff)
  let waiting = await beginning(read)
  if (waiting === undefined) throw new NotKept({ why: "no-clip", message: "nothing came" })
  if (kindOf(waiting) !== is) {
    throw new NotKept({ why: "no-clip", message: `what came begins with ${shown(waiting)} and is no ${is}` })
  }
  let length = 0
  const next = async () => {
    const bytes = waiting ?? (await read())
    waiting = undefined
    if (bytes === undefined) {
      if (declared === undefined || declared === length) return undefined
      throw new NotKept({ why: "broken", message: `${length} bytes came of ${declared}` })
    }
    length += bytes.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    if (declared !== undefined && length > declared) {
      throw new NotKept({ why: "broken", message: `more came than the ${declared} bytes that were said` })
    }
    return bytes
  }
  return { read: next, length: () => length }
}

const brokenOff = (cause: unknown): never => {
  throw cause instanceof NotKept ? cause : new NotKept({ why: "broken", message: String(cause) })
}

const tooLarge = (maxBytes: number) => new NotKept({ why: "too-large", message: `it has more than ${maxBytes} bytes` })

/** As many bytes as it takes to see what they are, however small the pieces. */
const beginning = async (read: Read): Promise<Uint8Array | undefined> => {
  let bytes = await read()
  while (bytes !== undefined && bytes.length < tellingBytes) {
    const more = await read()
    if (more === undefined) return bytes
    bytes = Buffer.concat([bytes, more])
  }
  return bytes
}

const shown = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes.subarray(0, 16)).toString("latin1"))
