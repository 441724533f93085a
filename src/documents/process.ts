import { setPriority } from "node:os"
import { Schema } from "effect"
import { readPdf } from "./readPdf.ts"
import { Line, Order } from "./Reading.ts"

/*
 * The reader process: reads orders from standard input, each followed by its document, and writes a line for each. It ends
 * with its input. The parent enforces bounds on time and memory.
 */

/** Below other processes. */
const priority = 10

const decodeOrder = Schema.decodeSync(Schema.parseJson(Order))
const encodeLine = Schema.encodeSync(Schema.parseJson(Line))

const writeLine = async (line: Line): Promise<void> => {
  await Bun.write(Bun.stdout, `${encodeLine(line)}\n`)
}

/** Buffered standard input. */
class Input {
  readonly #reader = Bun.stdin.stream().getReader()
  #rest = new Uint8Array()

  /** The next line without its line end; undefined at the end of input. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(lineFeed)
      if (end !== -1) return new TextDecoder().decode((await this.bytes(end + 1))?.subarray(0, end))
      if (!(await this.#more())) return undefined
    }
  }

  /** Copies the next `count` bytes; undefined if the input ends first. */
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
  // Not supported or not permitted: use the default priority.
}
const input = new Input()
await writeLine({ ready: true })
for (;;) {
  const line = await input.line()
  if (line === undefined) break
  const order = decodeOrder(line)
  const document = await input.bytes(order.bytes)
  if (document === undefined) break
  await writeLine(await readPdf(document, order.wanted))
}
process.exit(0)
