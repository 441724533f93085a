import { setPriority } from "node:os"
import { Schema } from "effect"
import { readPdf } from "./readPdf.ts"
import { Line, Order } from "./Reading.ts"

/*
 * The process that reads documents: orders come on standard input, each followed by the document, and a line goes out for
 * each. It ends with its input. What a document does to it is its own affair: it is watched and killed from outside.
 */

/** Others go first. */
const priority = 10

const decodeOrder = Schema.decodeSync(Schema.parseJson(Order))
const encodeLine = Schema.encodeSync(Schema.parseJson(Line))

const tell = async (line: Line): Promise<void> => {
  await Bun.write(Bun.stdout, `${encodeLine(line)}\n`)
}

/** Input that came and is not yet taken. */
class Input {
  readonly #reader = Bun.stdin.stream().getReader()
  #rest = new Uint8Array()

  /** A line without its end; undefined where there is none any more. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(lineFeed)
      if (end !== -1) return new TextDecoder().decode((await this.bytes(end + 1))?.subarray(0, end))
      if (!(await this.#more())) return undefined
    }
  }

  /** So many bytes, in memory of their own; undefined where the input ends before. */
  async bytes(count: number): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(count)
    let filled = 0
    for (;;) {
      const part = this.#rest.subarray(0, count - filled)
      bytes.set(part, filled)
      filled += part.length
      this.#rest = this.#rest.subarray(part.length)
      if (filled === count) return bytes
      if (!(await this.#more())) return undefined
    }
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (done) return false
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    return true
  }
}

const lineFeed = 10

try {
  setPriority(priority)
} catch {
  // A platform that has none, or does not let us: it reads at the usual one.
}
const input = new Input()
await tell({ ready: true })
for (;;) {
  const line = await input.line()
  if (line === undefined) break
  const order = decodeOrder(line)
  const document = await input.bytes(order.bytes)
  if (document === undefined) break
  await tell(await readPdf(document, order.wanted))
}
process.exit(0)
