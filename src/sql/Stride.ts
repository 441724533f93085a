import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { ownTurn } from "../flow/eventLoop.ts"

/** Rows of the first statement, and the most of later ones. */
const [first, most] = [128, 2_000]
/**
 * Target duration of a statement in ms, and the least rows. SQLite's statements block the thread. If one takes longer by the
 * clock, but not by the thread's processor time, a disk or other programs may be why: fewer than the first number of rows
 * would only take more statements. Postgres works in another process: a round trip to a busy one takes longer than 4 ms,
 * whatever the number of rows.
 */
const here = { aimMs: 4, least: 16 } as const
const server = { aimMs: 20, least: 256 } as const
/** Rows of a server's statement whose answer is shorter than that, because it adds them up or leaves most of them out. */
const [leastSummed, mostSummed, shortAnswer] = [2_048, 65_536, 512]

/**
 * A reader's answer after each stride: true if it needs no more, or the number of rows that its statement returned: where
 * these are few, a server's next stride is far longer.
 */
export type Progress = boolean | number | void

/** Adapts the rows of the next statement to the duration of the last ones: halves or doubles them. */
export class Stride {
  #rows = first
  readonly #isServer: boolean

  constructor(sql: SqlClient.SqlClient) {
    this.#isServer = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  }

  get rows(): number {
    return this.#rows
  }

  /** Begins to measure a statement. The function that it returns ends that, and adapts. */
  begin(): (answered?: number) => void {
    const [begunMs, begunCpuMs] = [performance.now(), this.#isServer ? 0 : threadCpuMs()]
    return (answered) =>
      this.took(performance.now() - begunMs, this.#isServer ? 0 : threadCpuMs() - begunCpuMs, answered)
  }

  /**
   * Adapts to a statement.
   *
   * @param cpuMs the thread's processor time; not of a server
   * @param answered see `Progress`
   */
  took(ms: number, cpuMs: number, answered?: number): void {
    if (this.#isServer) this.#tookThere(ms, answered)
    else this.#tookHere(ms, cpuMs)
  }

  /** Runs a statement with all that is made of its rows at once, then yields to the event loop. */
  readonly timed = <A extends Progress, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const end = this.begin()
      return Effect.tap(statement, (progress) => {
        end(typeof progress === "number" ? progress : undefined)
        return otherTurn
      })
    })

  #tookHere(ms: number, cpuMs: number): void {
    const { aimMs, least } = here
    const halved = Math.floor(this.#rows / 2)
    if (cpuMs > aimMs) this.#rows = Math.max(least, halved)
    else if (ms > aimMs) this.#rows = Math.min(this.#rows, Math.max(first, halved))
    else if (ms < aimMs / 2) this.#rows = Math.min(most, this.#rows * 2)
  }

  #tookThere(ms: number, answered: number | undefined): void {
    const { aimMs, least } = server
    const halved = Math.max(least, Math.floor(this.#rows / 2))
    if (answered === undefined) {
      if (ms > aimMs) this.#rows = halved
      else if (ms < aimMs / 2) this.#rows = Math.min(most, this.#rows * 2)
      return
    }
    // However long a round trip takes: with fewer rows there would be more of them.
    if (answered > 2 * shortAnswer) this.#rows = halved
    else if (answered <= shortAnswer) this.#rows = Math.min(mostSummed, Math.max(leastSummed, this.#rows * 2))
  }
}

/** Yields to other work. Of all who wait so, one goes on in each turn of the event loop. */
const otherTurn = Effect.promise(ownTurn)

const threadCpuMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}
