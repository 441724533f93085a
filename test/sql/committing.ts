import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"

export const withCommits = (file: string) =>
  Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${file}`, exclusive: true })))

/** Commits of one account each, as requests do it: a few in each turn of the event loop. */
export const commit = (from: number, count: number) =>
  Effect.gen(function* () {
    const { writeNow } = yield* Commits
    for (let n = from; n < from + count; n++) {
      const values = [`account-${n * 7_919}`, n]
      if (writeNow?.([{ text: "INSERT INTO accounts (id, created_at) VALUES (?, ?)", values }]) !== true) {
        return yield* Effect.dieMessage("not written")
      }
      if (n % 8 === 0) yield* Effect.promise(() => new Promise(setImmediate))
    }
  })
