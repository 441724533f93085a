import { Effect } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import type { JsonObject } from "../contract/fields.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { partHold } from "../ledger/partHold.ts"
import { RequestSeal } from "../tasks/RequestSeal.ts"
import { LineStore } from "./store/LineStore.ts"
import type { NewLine } from "./store/LineStore.ts"

/** Anthropic's bound of lines. */
export const mostLines = 100_000

/** Lines stored at once: so many, or so many characters. Other requests run in between. */
const atOnce = { lines: 100, characters: 256 * 1024 } as const

export interface GivenLine {
  readonly customId: string
  readonly body: JsonObject
}

/** Makes a function that seals and stores a batch's lines, some at a time, in their order. */
export const makeStoreLines = Effect.gen(function* () {
  const { seal } = yield* RequestSeal
  const lines = yield* LineStore

  return (batch: string) => {
    let place = 0
    let some: Array<NewLine> = []
    let characters = 0
    const flush = Effect.suspend(() => {
      const now = some
      some = []
      characters = 0
      return now.length === 0 ? Effect.void : lines.insert(batch, now)
    })
    const add = ({ body, customId }: GivenLine): Effect.Effect<unknown, SqlError> =>
      Effect.flatMap(seal(partHold(batch, place), body), (request) => {
        some.push({ place, customId, request })
        place++
        characters += request.length
        return some.length < atOnce.lines && characters < atOnce.characters
          ? Effect.void
          : Effect.zipLeft(flush, Effect.promise(nextTurn))
      })
    return { add, flush, count: () => place } as const
  }
})
