import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { DirectClient } from "../DirectClient.ts"
import { errorCode } from "../errorCode.ts"
import { isRefused } from "../isRefused.ts"
import { busy } from "./Client.ts"
import type { Shape } from "./shapes.ts"
import { Turns } from "./Turns.ts"

/** The most shared statements under way. Further writes join the next one. */
const atOnce = 2
/** After this long, in ms, a statement is probably waiting for a lock, and the next ones are sent beside it. */
const longest = 250
/** The most writes of a statement: every number up to `each` has its own text, then only `most`. */
const shared = { each: 16, most: 32 } as const
/** The most values that the server accepts with a statement. */
const mostValues = 65_535
/** From this many characters of text on, a statement takes no further write, so that short writes do not wait long. */
const enough = 1_000_000

interface Waiting {
  readonly shape: Shape
  readonly values: ReadonlyArray<unknown>
  /** Its characters of text. */
  readonly length: number
  readonly done: (error: SqlError | undefined) => void
  /** Leaves the queue. */
  leave: () => void
}

/**
 * Combines writes of one shape that arrive while others are under way: the server's work for a commit, and the driver's
 * for a round trip, cost several times that for a row. If the server refuses a combined statement, each write is sent
 * by itself.
 *
 * @param committed called after each commit, with its number of writes and when it was sent
 */
export const makeSharedWrites = (send: DirectClient["send"], committed: (writes: number, begun: number) => void) => {
  const turns = new Turns(atOnce)
  const waiting = new Map<Shape, Array<Waiting>>()

  /** How many of them the next statement takes. */
  const sizeOf = (alike: ReadonlyArray<Waiting>, { width }: Shape): number => {
    const most = Math.min(alike.length, shared.most, Math.floor(mostValues / width))
    let size = 1
    for (let length = alike[0]?.length ?? 0; size < most; size++) {
      length += alike[size]?.length ?? 0
      if (length > enough) break
    }
    return size === shared.most ? size : Math.min(size, shared.each)
  }

  /** @param finished runs when all of them have ended */
  const sendAll = (some: ReadonlyArray<Waiting>, { textOf }: Shape, finished: () => void) => {
    const begun = performance.now()
    send(
      textOf(some.length),
      some.flatMap(({ values }) => values),
      (rows) => {
        if (!(rows instanceof SqlError)) committed(some.length, begun)
        else if (some.length > 1 && tookNoEffect(rows)) return sendEach(some, finished)
        for (const { done } of some) done(rows instanceof SqlError ? rows : undefined)
        finished()
      }
    )
  }

  const sendEach = (some: ReadonlyArray<Waiting>, finished: () => void): void => {
    let left = some.length
    const oneIsOver = () => {
      if (--left === 0) finished()
    }
    for (const one of some) sendAll([one], one.shape, oneIsOver)
  }

  /** Gives the turn back once, in a microtask: the next write may be refused at once, which would recurse. */
  const givingOnce = (): (() => void) => {
    let isGiven = false
    const give = () => {
      clearTimeout(timer)
      if (isGiven) return
      isGiven = true
      queueMicrotask(() => turns.give())
    }
    const timer = setTimeout(give, longest)
    return give
  }

  return (shape: Shape, values: ReadonlyArray<unknown>): Effect.Effect<void, SqlError> =>
    Effect.async((resume) => {
      const done: Waiting["done"] = (error) => resume(error === undefined ? Effect.void : Effect.fail(error))
      const one: Waiting = { shape, values, length: lengthOf(values), done, leave: () => {} }
      let alike = waiting.get(shape)
      if (alike === undefined) waiting.set(shape, (alike = []))
      const all = alike
      all.push(one)
      one.leave = turns.take(
        () => {
          // All writes of this shape in the queue came later than this one.
          const some = all.splice(0, sizeOf(all, shape))
          for (const other of some) if (other !== one) other.leave()
          sendAll(some, shape, givingOnce())
        },
        () => {
          all.splice(all.indexOf(one), 1)
          resume(Effect.fail(busy))
        }
      )
    })
}

const lengthOf = (values: ReadonlyArray<unknown>): number => {
  let length = 0
  for (const value of values) if (typeof value === "string") length += value.length
  return length
}

/** The server has refused or cancelled the statement, because of one of its writes or all. */
const tookNoEffect = (error: SqlError): boolean =>
  isRefused(error) || /^(40(001|P01)|42|57014|0A)/.test(errorCode(error.cause))
