import { readFile } from "node:fs/promises"
import { Schema } from "effect"
import { bounds } from "./bounds.ts"
import { Line, Order } from "./Reading.ts"
import type { Unread, Wanted } from "./Reading.ts"

/** Command of a reader process: a program and its arguments. */
export type Command = readonly [program: string, ...args: ReadonlyArray<string>]

/** Interval of checks on a working process, in ms. */
const lookEvery = 25
/** Timeout of a process's start, in ms; generous for busy machines. */
const startDeadline = 30_000
/** Bound on elapsed time, as a multiple of the CPU time. */
const mostWaiting = 6
/** Characters of the longest answer, with JSON's escapes. */
const longestLine = 8 * bounds.characters

const encodeOrder = Schema.encodeSync(Schema.parseJson(Order))
const decodeLine = Schema.decodeSync(Schema.parseJson(Line))

const spawn = ([...command]: Command) =>
  Bun.spawn(command, {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    // The input is untrusted: no secrets in the environment, and no `.env` or `bunfig.toml` in the directory.
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" }
  })

/** One process that reads documents, one at a time. It is killed when a document exceeds the bounds. */
export class ReaderProcess {
  readonly #child: ReturnType<typeof spawn>
  readonly #ready: Promise<unknown>
  readonly #longestMs: number
  #isOver = false
  /** The exceeded bound for which it was killed. */
  #killedBy: Unread | undefined
  #onLine: ((line: Line | undefined) => void) | undefined

  /** @param longestMs CPU time for one document */
  constructor(command: Command, longestMs: number) {
    this.#longestMs = longestMs
    this.#child = spawn(command)
    this.#ready = this.#answer()
    void this.#listen()
      .catch(() => {})
      .finally(() => this.end())
  }

  /** The process has ended. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Reads a document. Ends the process if a bound is exceeded; rejects if the process did not start. */
  async read(document: Uint8Array, wanted: Wanted): Promise<Line> {
    const starting = setTimeout(() => this.end(), startDeadline)
    const ready = await this.#ready
    clearTimeout(starting)
    if (ready === undefined) throw new Error("the process that reads documents did not start")
    const answer = this.#answer()
    const watching = this.#watch()
    // A failed write means that the process has ended, which the answer reports.
    this.#send(document, wanted).catch(() => {})
    const line = await answer
    clearInterval(watching)
    if (line !== undefined) return line
    this.end()
    return { unread: this.#killedBy ?? "unreadable" }
  }

  /** Kills the process. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#child.kill("SIGKILL")
    this.#onLine?.(undefined)
  }

  /** Resident memory in bytes; 0 if unknown. */
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
      // Its priority is low: on a busy machine it waits longer than it works.
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

  /** The next line; undefined if the process ends first. */
  #answer(): Promise<Line | undefined> {
    if (this.#isOver) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#onLine = (line) => {
        this.#onLine = undefined
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
      this.#onLine?.(decodeLine(pieces.splice(0).join("")))
      length = 0
    }
  }
}

/** Used CPU time in ms; `NaN` if unknown. */
const processorMs = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  // proc(5): utime and stime, in 1/100 s, are fields 14 and 15. Field 2, the name, may contain anything.
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
