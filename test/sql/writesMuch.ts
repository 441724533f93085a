/** Commits so much that a thread checkpoints, and closes the database: `bun test/sql/writesMuch.ts <file> <commits>`. */
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"

const [file = "", count = "0"] = process.argv.slice(2)

const written = Effect.gen(function* () {
  const { writeNow } = yield* Commits
  for (let n = 0; n < Number(count); n++) {
    const values = [`account-${n * 7_919}`, n]
    if (writeNow?.([{ text: "INSERT INTO accounts (id, created_at) VALUES (?, ?)", values }]) !== true) {
      return yield* Effect.dieMessage("not written")
    }
    // As requests do it: a few in each turn of the event loop.
    if (n % 8 === 0) yield* Effect.promise(() => new Promise(setImmediate))
  }
})

const commits = Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${file}`, exclusive: true })))
await Effect.runPromise(Effect.provide(written, commits))
