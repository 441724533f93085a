/** Characters that are kept at most, of whole chunks. */
const mostCharacters = 1024 * 1024
/** Chunks at most: lines that come one by one are chunks of their own. */
const mostChunks = 4_096

/**
 * The last lines of the log, as JSON, in memory. It takes them as they are written, many in one piece, and neither copies
 * nor parts them until somebody reads.
 */
export class LogTail {
  readonly #chunks: Array<string> = []
  readonly #readers = new Set<(lines: ReadonlyArray<string>) => void>()
  #characters = 0

  /** @param chunk whole lines, each with its end */
  push(chunk: string): void {
    this.#chunks.push(chunk)
    this.#characters += chunk.length
    while (this.#characters > mostCharacters || this.#chunks.length > mostChunks)
      this.#characters -= this.#chunks.shift()?.length ?? 0
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

const linesOf = (chunk: string): ReadonlyArray<string> => chunk.split("\n").slice(0, -1)
