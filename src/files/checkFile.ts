import { NotKept } from "./NotKept.ts"
import { kindOf, tellingBytes } from "./kindOf.ts"

/** The next chunk of a file; undefined at its end. */
export type Read = () => Promise<Uint8Array | undefined>

/** An incoming file and its requirements. */
export interface Incoming {
  readonly read: Read
  /** The largest size in bytes. */
  readonly maxBytes: number
  /** Disk space that must stay free, in bytes. */
  readonly freeBytes: number
  /** The declared length in bytes. */
  readonly declared?: number | undefined
  /** The required kind, checked by the first bytes. */
  readonly is: "video" | "image" | "any"
  /** The file must be durable before the write succeeds. */
  readonly synced: boolean
}

/** A file with checked first bytes. */
export interface Checked {
  /** The next chunk; rejects with `NotKept` if a bound is exceeded or the file is incomplete. */
  readonly read: Read
  /** Bytes read so far. */
  readonly length: () => number
}

/** Checks the first bytes before anything is stored, and the bounds as the rest arrives. */
export const checkFile = async ({ declared, is, maxBytes, read: given }: Incoming): Promise<Checked> => {
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes)
  const read = () => given().catch(brokenOff)
  let waiting = await beginning(read)
  if (waiting === undefined) throw new NotKept({ why: "no-clip", message: "the response was empty" })
  if (is !== "any" && kindOf(waiting) !== is) {
    throw new NotKept({ why: "no-clip", message: `the file begins with ${shown(waiting)} and is not ${is}` })
  }
  let length = 0
  const next = async () => {
    const bytes = waiting ?? (await read())
    waiting = undefined
    if (bytes === undefined) {
      if (declared === undefined || declared === length) return undefined
      throw new NotKept({ why: "broken", message: `${length} of ${declared} bytes were received` })
    }
    length += bytes.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    if (declared !== undefined && length > declared) {
      throw new NotKept({ why: "broken", message: `more than the declared ${declared} bytes were received` })
    }
    return bytes
  }
  return { read: next, length: () => length }
}

const brokenOff = (cause: unknown): never => {
  throw cause instanceof NotKept ? cause : new NotKept({ why: "broken", message: String(cause) })
}

const tooLarge = (maxBytes: number) => new NotKept({ why: "too-large", message: `it has more than ${maxBytes} bytes` })

/** Joins chunks until there are enough bytes to detect the kind. */
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
