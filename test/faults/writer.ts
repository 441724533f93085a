/**
 * Writes rows through the commits of a gateway, as many lanes at once as WRITERS says, and tells of each one that was
 * acknowledged: `acknowledged 17 18 …`, a line for those of one moment. Environment: DATABASE, FROM (the first number).
 */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"

let next = Number(process.env["FROM"])
let told: Array<number> = []

const tell = (number: number) => {
  if (told.push(number) > 1) return
  queueMicrotask(() => {
    process.stdout.write(`acknowledged ${told.join(" ")}\n`)
    told = []
  })
}

const writing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  yield* sql`CREATE TABLE IF NOT EXISTS acknowledged (number INTEGER PRIMARY KEY)`
  console.log("listens on nothing")
  const lane = Effect.suspend(() => {
    const number = next++
    return Effect.map(commits.commit(sql`INSERT INTO acknowledged (number) VALUES (${number})`), () => tell(number))
  })
  yield* Effect.replicateEffect(Effect.repeat(lane, { while: () => true }), Number(process.env["WRITERS"] ?? 256)).pipe(
    Effect.withConcurrency("unbounded"),
    Effect.withTracerEnabled(false)
  )
})

await Effect.runPromise(
  writing.pipe(
    Effect.provide(
      Commits.Default.pipe(
        Layer.provideMerge(layer({ url: `sqlite:${process.env["DATABASE"] ?? ""}`, exclusive: true }))
      )
    )
  )
)
