import { readFile } from "node:fs/promises"
import { Schema } from "effect"
import { bounds } from "./bounds.ts"
import { Line, Order } from "./Reading.ts"
import type { Unread, Wanted } from "./Reading.ts"

/** How a process is begun that reads documents: a program and its arguments. */
export type Command = readonly [program: string, ...args: ReadonlyArray<string>]

/** How often a process at work is looked at, in ms. */
const lookEvery = 25
/** How long it may take until it takes orders, in ms: a busy machine starts nothing quickly. */
const startDeadline = 30_000
/** How many times as long as it may work it may take in all. */
const mostWaiting = 6
/** Text of the longest answer, and what JSON adds to it. */
const longestLine = 8 * bounds.characters

const encodeOrder = Schema.encodeSync(Schema.parseJson(Order))
const decodeLine = Schema.decodeSync(Schema.parseJson(Line))

const spawn = ([...command]: Command) =>
  Bun.spawn(command, {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    // What it reads is a stranger's: it is told no secret of ours, and finds no `.env` or `bunfig.toml`.
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" }
  })

/** One process that reads documents, one at a time. It is killed when a document asks too much of it. */
export class ReaderProcess {
  readonly #child: ReturnType<typeof spawn>
  readonly #ready: Promise<unknown>
  readonly #longestMs: number
  #isOver = false
  /** Why it was killed. */
  #killedBy: Unread | undefined
  #hear: ((line: Line | undefined) => void) | undefined

  /** @param longestMs how much of a processor's time one document may take */
  constructor(command: Command, longestMs: number) {
    this.#longestMs = longestMs
    this.#child = spawn(command)
    this.#ready = this.#answer()
    void this.#listen()
      .catch(() => {})
      .finally(() => this.end())
  }

  /** Whether it can take no more orders. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** What came of reading a document. Ends the process where that is too much for it; rejects where none could start. */
  async read(document: Uint8Array, wanted: Wanted): Promise<Line> {
    const starting = setTimeout(() => this.end(), startDeadline)
    const ready = await this.#ready
    clearTimeout(starting)
    if (ready === undefined) throw new Error("the process that reads documents did not start")
    const answer = this.#answer()
    const watching = this.#watch()
    // Where it does not take all of it, it is gone, as the answer tells.
    this.#send(document, wanted).catch(() => {})
    const line = await answer
    clearInterval(watching)
    if (line !== undefined) return line
    this.end()
    return { unread: this.#killedBy ?? "unreadable" }
  }

  /** Ends it, whatever it does. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#child.kill("SIGKILL")
    this.#hear?.(undefined)
  }

  /** Memory that it holds, in bytes; 0 where that can't be known. */
  memory(): Promise<number> {
    return residentBytes(this.#child.pid)
  }

  async #send(document: Uint8Array, wanted: Wanted): Promise<void> {
    const { stdin } = this.#child
    await stdin.write(`${encodeOrder({ bytes: document.length, wanted })}\n`)
    await stdin.write(document)
    await stdin.flush()
  }

  #watch() {
    const begun = performance.now()
    const usedBefore = processorMs(this.#child.pid)
    const look = async () => {
      const passed = performance.now() - begun
      const used = (await processorMs(this.#child.pid)) - (await usedBefore)
      // It comes after all others: on a busy machine it waits more than it works.
      if (passed > this.#longestMs * mostWaiting || (Number.isNaN(used) ? passed : used) > this.#longestMs)
        this.#kill("seconds")
      if ((await this.memory()) > bounds.bytes) this.#kill("memory")
    }
    return setInterval(() => void look(), lookEvery)
  }

  #kill(why: Unread): void {
    this.#killedBy ??= why
    this.end()
  }

  /** The next line; undefined where it ends before. */
  #answer(): Promise<Line | undefined> {
    if (this.#isOver) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#hear = (line) => {
        this.#hear = undefined
        resolve(line)
      }
    })
  }

  async #listen(): Promise<void> {
    const decoder = new TextDecoder()
    const pieces: Array<string> = []
    let length = 0
    for await (const chunk of this.#child.stdout) {
      const text = decoder.decode(chunk, { stream: true })
      pieces.push(text)
      length += text.length
      if (length > longestLine) return
      if (!text.endsWith("\n")) continue
      this.#hear?.(decodeLine(pieces.splice(0).join("")))
      length = 0
    }
  }
}

/** Time of processors that it has used, in ms; `NaN` where that can't be known. */
const processorMs = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  // Behind the program's name, which may hold anything, its state is the third field, and these two are in 1/100 s.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const pageBytes = 4_096

const residentBytes = async (pid: number): Promise<number> => {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "")
    return Number(text.split(" ")[1] ?? 0) * pageBytes
  }
  const ps = Bun.spawn(["ps", "-o", "rss=", "-p", String(pid)], { stdout: "pipe", stderr: "ignore" })
  return Number(await new Response(ps.stdout).text()) * 1_024
}
