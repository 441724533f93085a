/** Bytes that are kept at most, of whole chunks. */
const mostBytes = 1024 * 1024
/** Chunks at most: lines that come one by one are chunks of their own. */
const mostChunks = 4_096

type Chunk = string | Uint8Array

const utf8 = new TextDecoder()

/**
 * The last lines of the log, as JSON, in memory. It takes them as they are written, many in one piece, and neither copies
 * nor parts them until somebody reads.
 */
export class LogTail {
  readonly #chunks: Array<Chunk> = []
  readonly #readers = new Set<(lines: ReadonlyArray<string>) => void>()
  #bytes = 0

  /** @param chunk whole lines, each with its end */
  push(chunk: Chunk): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes > mostBytes || this.#chunks.length > mostChunks) this.#bytes -= this.#chunks.shift()?.length ?? 0
    if (this.#readers.size === 0) return
    const lines = linesOf(chunk)
    for (const read of this.#readers) read(lines)
  }

  /** Oldest first, without their ends. */
  lines(): ReadonlyArray<string> {
    return this.#chunks.flatMap(linesOf)
  }

  /** Tells of lines to come, until what it answers is called. */
  follow(read: (lines: ReadonlyArray<string>) => void): () => void {
    this.#readers.add(read)
    return () => void this.#readers.delete(read)
  }
}

const linesOf = (chunk: Chunk): ReadonlyArray<string> =>
  (typeof chunk === "string" ? chunk : utf8.decode(chunk)).split("\n").slice(0, -1)
