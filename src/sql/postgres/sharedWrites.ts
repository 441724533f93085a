import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { DirectClient } from "../DirectClient.ts"
import { errorCode } from "../errorCode.ts"
import { isRefused } from "../isRefused.ts"
import { busy } from "./Client.ts"
import type { Shape } from "./shapes.ts"
import { Turns } from "./Turns.ts"

/** Statements of several writes under way: what comes meanwhile shares the next one. */
const atOnce = 2
/** Of one that takes longer, in ms, the server has something to wait for: the next ones do not wait for it too. */
const longest = 250
/** Writes that share a statement at most: up to `each` any number of them has a text of its own, else it is `most`. */
const shared = { each: 16, most: 32 } as const
/** Values that the server takes with a statement. */
const mostValues = 65_535
/** Characters of text from which on a statement takes no further write: who writes little does not wait for much. */
const enough = 1_000_000

interface Waiting {
  readonly shape: Shape
  readonly values: ReadonlyArray<unknown>
  /** Its characters of text. */
  readonly length: number
  readonly done: (error: SqlError | undefined) => void
  /** Gives up its place in the line. */
  leave: () => void
}

/**
 * Writes that are one statement each go together with those that are alike and come while others are under way: the
 * server's work for a commit, and a trip of the driver, is several times that for a row. One that the server refuses fails
 * no other: each is then sent by itself.
 *
 * @param committed hears of each commit: of how many writes, and when it was sent
 */
export const makeSharedWrites = (send: DirectClient["send"], committed: (writes: number, begun: number) => void) => {
  const turns = new Turns(atOnce)
  const waiting = new Map<Shape, Array<Waiting>>()

  /** How many of them the next statement takes, from the first on. */
  const sizeOf = (alike: ReadonlyArray<Waiting>, { width }: Shape): number => {
    const most = Math.min(alike.length, shared.most, Math.floor(mostValues / width))
    let size = 1
    for (let length = alike[0]?.length ?? 0; size < most; size++) {
      length += alike[size]?.length ?? 0
      if (length > enough) break
    }
    return size === shared.most ? size : Math.min(size, shared.each)
  }

  /** @param over runs when all of them have ended */
  const sendAll = (some: ReadonlyArray<Waiting>, { textOf }: Shape, over: () => void) => {
    const begun = performance.now()
    send(
      textOf(some.length),
      some.flatMap(({ values }) => values),
      (rows) => {
        if (!(rows instanceof SqlError)) committed(some.length, begun)
        else if (some.length > 1 && tookNoEffect(rows)) return sendEach(some, over)
        for (const { done } of some) done(rows instanceof SqlError ? rows : undefined)
        over()
      }
    )
  }

  const sendEach = (some: ReadonlyArray<Waiting>, over: () => void): void => {
    let left = some.length
    const oneIsOver = () => {
      if (--left === 0) over()
    }
    for (const one of some) sendAll([one], one.shape, oneIsOver)
  }

  /** Gives the turn back once, and not from within: whoever comes next may be refused at once, and so on. */
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
          // The first of the line; whoever is alike came after it.
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

/** The server has said no to the statement, or has cancelled it: for one of its writes or for all of them. */
const tookNoEffect = (error: SqlError): boolean =>
  isRefused(error) || /^(40(001|P01)|42|57014|0A)/.test(errorCode(error.cause))
