import { open, unlink } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Data } from "effect"
import type { RateLimited, TooLarge } from "../../contract/failures/Failure.ts"
import type { Holding } from "../Unfinished.ts"

/** Bytes of files that stay in memory: most forms have a small image, or none. */
const inMemory = 256 * 1024
/** Bytes of a chunk that is read from disk. */
const chunkBytes = 256 * 1024

/** The temporary folder is full or can't be written. */
export class NotSpooled extends Data.TaggedError("NotSpooled")<{ readonly cause: unknown }> {}

/**
 * The files of one form, one after the other: in memory while they are small, then in one temporary file without a
 * name. It is gone once it is closed, also if the process is killed.
 */
export class Spool {
  readonly #holding: Holding
  #memory: Array<Buffer> = []
  #handle: FileHandle | undefined
  #bytes = 0

  constructor(holding: Holding) {
    this.#holding = holding
  }

  /** Bytes so far, and so the place of the next one. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds bytes. Returns the reason to refuse the form. */
  async write(chunk: Uint8Array): Promise<RateLimited | TooLarge | undefined> {
    const isSmall = this.#handle === undefined && this.#bytes + chunk.length <= inMemory
    if (isSmall && this.#holding.more(chunk.length, "memory") === undefined) {
      // Copied: a small part would keep the whole chunk of the network that it came in.
      this.#memory.push(Buffer.from(chunk))
    } else {
      const refused = this.#holding.more(chunk.length, "disk") ?? (await this.#toDisk())
      if (refused !== undefined) return refused
      await this.#append(chunk, this.#bytes)
    }
    this.#bytes += chunk.length
    return undefined
  }

  /** Reads a range in chunks: each call returns the next one; undefined at the end. */
  reading(from: number, to: number): () => Promise<Uint8Array | undefined> {
    let at = from
    return async () => {
      if (at >= to) return undefined
      const chunk = await this.#read(at, Math.min(to - at, chunkBytes))
      at += chunk.length
      return chunk.length === 0 ? undefined : chunk
    }
  }

  async close(): Promise<void> {
    this.#memory = []
    await this.#handle?.close()
  }

  async #toDisk(): Promise<RateLimited | undefined> {
    if (this.#handle !== undefined) return undefined
    const refused = this.#holding.open("file")
    if (refused !== undefined) return refused
    const path = join(tmpdir(), `model-gateway-${crypto.randomUUID()}`)
    this.#handle = await open(path, "wx+", 0o600).catch(notSpooled)
    await unlink(path)
    const before = Buffer.concat(this.#memory)
    this.#memory = []
    await this.#append(before, 0)
    return undefined
  }

  async #append(chunk: Uint8Array, place: number): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const written = await this.#handle?.write(chunk, at, chunk.length - at, place + at).catch(notSpooled)
      at += written?.bytesWritten ?? chunk.length
    }
  }

  async #read(at: number, length: number): Promise<Uint8Array> {
    if (this.#handle === undefined) {
      this.#memory = [Buffer.concat(this.#memory)]
      return this.#memory[0]?.subarray(at, at + length) ?? new Uint8Array()
    }
    const { buffer, bytesRead } = await this.#handle.read(new Uint8Array(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  }
}

const notSpooled = (cause: unknown): never => {
  throw new NotSpooled({ cause })
}
