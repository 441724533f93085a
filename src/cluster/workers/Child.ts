import { Schema } from "effect"
import type { Snapshot } from "../../telemetry/Snapshot.ts"
import { FromWorker } from "./messages.ts"
import type { ToWorker } from "./messages.ts"
import { wholeLines } from "./wholeLines.ts"
import { workerVariable } from "./workerVariable.ts"

/** Unanswered pings, one a second, after which a worker counts as stuck. */
const mostUnanswered = 6
/** Time to start listening, in pings. */
const mostUntilUp = 60
/** Timeout of a worker's metrics, in ms. */
const countsMs = 1_000

export interface ChildOptions {
  /** The program and its arguments. */
  readonly command: ReadonlyArray<string>
  /** Called for each new process. */
  readonly env: () => Readonly<Record<string, string | undefined>>
  readonly isFirst: boolean
  /** Prints whole lines of the worker's output. */
  readonly print: (lines: string, count: number) => void
  /** Collects the metrics of all workers. */
  readonly collect: () => Promise<ReadonlyArray<Snapshot>>
}

/** Exit code or signal of a process. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | number | null
}

/** The supervisor's view of one worker. */
export class Child {
  readonly #process: Bun.Subprocess<"ignore", "pipe", "inherit">
  readonly #options: ChildOptions
  readonly #up = Promise.withResolvers<boolean>()
  readonly #pending = new Map<number, (own: Snapshot) => void>()
  #questions = 0
  #unanswered = 0
  #isUp = false
  /** Its last known metrics. */
  counted: Snapshot = []
  /** Resolves once it has ended and all its output is printed. */
  readonly ended: Promise<Ended>

  constructor(options: ChildOptions) {
    this.#options = options
    const isFromWorker = Schema.is(FromWorker)
    this.#process = Bun.spawn([...options.command], {
      env: { ...options.env(), [workerVariable]: options.isFirst ? "first" : "another" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
      ipc: (message: unknown) => {
        if (isFromWorker(message)) this.#receive(message)
      }
    })
    const printed = wholeLines(this.#process.stdout, options.print)
    this.ended = this.#process.exited.then(async () => {
      this.#up.resolve(false)
      await printed
      return { code: this.#process.exitCode, signal: this.#process.signalCode }
    })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** True once it listens; false if it ends first. */
  get up(): Promise<boolean> {
    return this.#up.promise
  }

  tell(message: ToWorker): void {
    // Fails if the worker has just ended, which `ended` reports.
    try {
      this.#process.send(message)
    } catch {}
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Pings the worker. Returns true if it is stuck. */
  ping(): boolean {
    this.#unanswered++
    if (this.#isUp) this.tell({ type: "ping" })
    return this.#unanswered > (this.#isUp ? mostUnanswered : mostUntilUp)
  }

  /** Its metrics; the last known ones if it does not answer. */
  async counts(): Promise<Snapshot> {
    if (!this.#isUp) return this.counted
    const id = ++this.#questions
    const { promise, resolve } = Promise.withResolvers<Snapshot>()
    this.#pending.set(id, resolve)
    const timer = setTimeout(() => resolve(this.counted), countsMs)
    this.tell({ type: "count", id })
    this.counted = await promise
    clearTimeout(timer)
    this.#pending.delete(id)
    return this.counted
  }

  #receive(message: FromWorker): void {
    this.#unanswered = 0
    switch (message.type) {
      case "up":
        this.#isUp = true
        return this.#up.resolve(true)
      case "pong":
        return
      case "ask":
        return void this.#options.collect().then((all) => this.tell({ type: "counted", id: message.id, all }))
      case "counts":
        return this.#pending.get(message.id)?.(message.own)
    }
  }
}
