import { Schema } from "effect"
import type { Snapshot } from "../../telemetry/Snapshot.ts"
import { FromWorker } from "./messages.ts"
import type { ToWorker } from "./messages.ts"
import { wholeLines } from "./wholeLines.ts"
import { workerVariable } from "./workerVariable.ts"

/** A worker is asked once a second whether it is there; one that leaves as many questions unanswered is stuck. */
const mostUnanswered = 6
/** How long it may take until it listens, in pings. */
const mostUntilUp = 60
/** How long it has to say what it counts, in ms. */
const countsMs = 1_000

export interface ChildOptions {
  /** The program and its arguments. */
  readonly command: ReadonlyArray<string>
  /** Asked for each process that is begun. */
  readonly env: () => Readonly<Record<string, string | undefined>>
  readonly isFirst: boolean
  /** Takes whole lines of what it prints, and how many they are. */
  readonly print: (lines: string, count: number) => void
  /** Asks what all workers count. */
  readonly collect: () => Promise<ReadonlyArray<Snapshot>>
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | number | null
}

/** One worker, as its supervisor sees it. */
export class Child {
  readonly #process: Bun.Subprocess<"ignore", "pipe", "inherit">
  readonly #options: ChildOptions
  readonly #up = Promise.withResolvers<boolean>()
  readonly #asked = new Map<number, (own: Snapshot) => void>()
  #questions = 0
  #unanswered = 0
  #isUp = false
  /** What it counted when it was last asked. */
  counted: Snapshot = []
  /** Resolves once it is gone and all that it printed is passed on. */
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
        if (isFromWorker(message)) this.#heard(message)
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

  /** Whether it came to listen, as soon as that is known. */
  get up(): Promise<boolean> {
    return this.#up.promise
  }

  tell(message: ToWorker): void {
    // One that has just ended is noticed elsewhere.
    try {
      this.#process.send(message)
    } catch {}
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Asks whether it is there. Answers whether it has been silent for too long. */
  ping(): boolean {
    this.#unanswered++
    if (this.#isUp) this.tell({ type: "ping" })
    return this.#unanswered > (this.#isUp ? mostUnanswered : mostUntilUp)
  }

  /** What it counts; what it last said where it does not answer. */
  async counts(): Promise<Snapshot> {
    if (!this.#isUp) return this.counted
    const id = ++this.#questions
    const { promise, resolve } = Promise.withResolvers<Snapshot>()
    this.#asked.set(id, resolve)
    const timer = setTimeout(() => resolve(this.counted), countsMs)
    this.tell({ type: "count", id })
    this.counted = await promise
    clearTimeout(timer)
    this.#asked.delete(id)
    return this.counted
  }

  #heard(message: FromWorker): void {
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
        return this.#asked.get(message.id)?.(message.own)
    }
  }
}
