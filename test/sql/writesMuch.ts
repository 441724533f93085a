/** Commits so much that a thread checkpoints, and closes the database: `bun test/sql/writesMuch.ts <file> <commits>`. */
import { Effect } from "effect"
import { commit, withCommits } from "./committing.ts"

const [file = "", count = "0"] = process.argv.slice(2)
await Effect.runPromise(Effect.provide(commit(0, Number(count)), withCommits(file)))
