import type { HeldLine } from "./store/BatchRow.ts"

/** The most bytes of requests that a process runs at a time, beyond a single one. */
const mostBytes = 64 * 1024 * 1024

interface Running {
  readonly account: string
  readonly line: HeldLine
}

/** The lines that this process runs: a few. */
export class RunningLines {
  #all: ReadonlyArray<Running> = []

  get size(): number {
    return this.#all.length
  }

  of(account: string): number {
    return this.#all.filter((one) => one.account === account).length
  }

  /** True if the memory has room for a line's request. */
  hasRoomFor({ bytes }: HeldLine): boolean {
    return this.size === 0 || this.#all.reduce((sum, { line }) => sum + line.bytes, bytes) <= mostBytes
  }

  add(account: string, line: HeldLine): void {
    this.#all = [...this.#all, { account, line }]
  }

  remove(line: HeldLine): void {
    this.#all = this.#all.filter((one) => one.line !== line)
  }
}
