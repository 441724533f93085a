import { readdirSync, readFileSync, statSync } from "node:fs"

/** How long a count is used, in ms. */
const countedForMs = 200
/** The share of its descriptors that the process keeps free for its own work: upstreams, the database, callbacks. */
const keptFree = 1 / 4
/** Bun opens a few for one call, and ends the process if it has none for itself. */
const forOneCall = 16

/** The file descriptors of this process: sockets, files, and those of the runtime. */
export class Descriptors {
  readonly #limitOf: () => number
  readonly #count: () => number
  #limit: number | undefined
  #forCallers: number | undefined
  #counted = 0
  #countedAt = -Infinity

  constructor(limitOf = limitOfProcess, count = countOfProcess) {
    this.#limitOf = limitOf
    this.#count = count
  }

  /** The most that the process may open. */
  get limit(): number {
    return (this.#limit ??= this.#limitOf())
  }

  /** The most that callers' requests may use together. */
  get forCallers(): number {
    return Math.floor(this.limit * (1 - keptFree))
  }

  /** True if less than the share that is kept free is left. A count is used for a moment. */
  isScarce(): boolean {
    const now = performance.now()
    if (now - this.#countedAt >= countedForMs) {
      this.#counted = this.#count()
      this.#countedAt = now
    }
    return this.#counted > (this.#forCallers ??= this.forCallers)
  }

  /** True if less than half of that share is left: connections go on to be opened by clients that send nothing. */
  isFlooded(): boolean {
    return this.isScarce() && this.#counted > this.limit * (1 - keptFree / 2)
  }

  /** Counts another one that is about to be opened. */
  opening(): void {
    this.#counted++
  }

  /** True if too few are left for one call. Counts anew: for failures, whose codes do not tell. */
  isExhausted(): boolean {
    return this.#count() > this.limit - forOneCall
  }
}

/** `RLIMIT_NOFILE`. Bun raises the soft limit to the hard one when it starts. */
const limitOfProcess = (): number => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return soft === undefined ? usualLimit : Number(soft)
  } catch {
    return usualLimit
  }
}

/** Without `/proc`, or a limit in it: the least that systems of today give. */
const usualLimit = 10_240

const countOfProcess = (): number => {
  try {
    // Linux 6.2 and later tell the number as the folder's size.
    const { size } = statSync("/proc/self/fd")
    return size > 0 ? size : readdirSync("/proc/self/fd").length
  } catch {
    return readdirSync("/dev/fd").length
  }
}

/** Those of this process. */
export const descriptors = new Descriptors()
