/** The most characters to keep, in whole chunks. */
const mostCharacters = 1024 * 1024
/** The most chunks to keep; a line written alone is a chunk. */
const mostChunks = 4_096

/** The last lines of the log in memory, as JSON. Keeps the chunks as written, and splits them only for readers. */
export class LogTail {
  readonly #chunks: Array<string> = []
  readonly #readers = new Set<(lines: ReadonlyArray<string>) => void>()
  #characters = 0

  /** @param chunk whole lines, each with its line end */
  push(chunk: string): void {
    this.#chunks.push(chunk)
    this.#characters += chunk.length
    while (this.#characters > mostCharacters || this.#chunks.length > mostChunks)
      this.#characters -= this.#chunks.shift()?.length ?? 0
    if (this.#readers.size === 0) return
    const lines = linesOf(chunk)
    for (const read of this.#readers) read(lines)
  }

  /** Oldest first, without line ends. */
  lines(): ReadonlyArray<string> {
    return this.#chunks.flatMap(linesOf)
  }

  /** Calls `read` with further lines, until the returned function is called. */
  follow(read: (lines: ReadonlyArray<string>) => void): () => void {
    this.#readers.add(read)
    return () => void this.#readers.delete(read)
  }
}

const linesOf = (chunk: string): ReadonlyArray<string> => chunk.split("\n").slice(0, -1)
