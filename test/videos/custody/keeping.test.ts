import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { KeptFiles } from "../../../src/files/KeptFiles.ts"
import { newestFormat } from "../../../src/cluster/formats.ts"
import { NodeTimes } from "../../../src/cluster/Node.ts"
import { Custody } from "../../../src/videos/custody/Custody.ts"
import { clip } from "../../files/clips.ts"
import { describeOnEach, isElsewhere } from "../../sql/engines.ts"
import { startSource, status, whole } from "./source.ts"
import type { Source } from "./source.ts"
import { filesIn, hurry, linksOf, rowsLeft, succeeded, until, working, world } from "./world.ts"
import { link } from "./pages.ts"

const root = mkdtempSync(join(tmpdir(), "custody-"))
let source: Source

beforeAll(async () => {
  source = await startSource()
})

afterAll(() => {
  source.stop()
  rmSync(root, { recursive: true })
})

let folders = 0
const folder = () => join(root, String(++folders))

describeOnEach("custody", () => {
  it.live("a copy is there for as long as it is kept, and then removed", () => {
    const directory = folder()
    return Effect.gen(function* () {
      source.answer("/kept.mp4", whole(clip))
      yield* working
      const id = yield* succeeded({ videoUrl: source.link("/kept.mp4") })
      const { video = "" } = yield* until(linksOf(id), ({ video }) => link.test(video ?? ""))
      const [, fileId = "", name = ""] = link.exec(video) ?? []
      const sql = yield* SqlClient.SqlClient
      const days =
        (Number((yield* sql<{ due_at: number }>`SELECT due_at FROM custody`)[0]?.due_at) - Date.now()) / 86_400_000
      expect(Math.round(days * 100) / 100).toBe(30)
      const kept = yield* KeptFiles
      expect(Option.isSome(yield* kept.file(fileId, name))).toBe(true)
      // It is found where it is, whatever the gateway's secret is by now.
      expect(yield* sql`SELECT file_id FROM custody`).toEqual([{ file_id: fileId }])
      yield* sql`UPDATE custody SET due_at = 0`
      ;(yield* Custody).due.ring()
      yield* until(rowsLeft, (rows) => rows.length === 0)
      expect(yield* kept.file(fileId, name)).toEqual(Option.none())
      expect(filesIn(directory)).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(world({ directory })))
  })

  it.live("what could not be copied for a day never is", () =>
    Effect.gen(function* () {
      source.answer("/never.mp4", status("403 Forbidden"))
      const id = yield* succeeded({ videoUrl: source.link("/never.mp4") })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE custody SET begun_at = ${Date.now() - 24 * 3_600_000 + 60_000}`
      yield* working
      yield* until(rowsLeft, ([row]) => row?.tries === 1)
      yield* sql`UPDATE custody SET begun_at = ${Date.now() - 24 * 3_600_000}`
      yield* hurry
      yield* until(rowsLeft, (rows) => rows.length === 0)
      expect(yield* linksOf(id)).toMatchObject({ video: source.link("/never.mp4") })
    }).pipe(Effect.scoped, Effect.provide(world({ directory: folder() })))
  )

  it.live("a copy in the hands of a process that died is begun again, without waiting for its lease", () => {
    const directory = folder()
    const times = Layer.succeed(NodeTimes, { renewEvery: 20, goodFor: 15_000, lookEvery: 20, othersFirst: 100 })
    return Effect.gen(function* () {
      source.answer("/dead.mp4", whole(clip))
      const id = yield* succeeded({ videoUrl: source.link("/dead.mp4") })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE custody
        SET lease_owner = 'dead', lease_token = 'dead:0', due_at = ${Date.now() + 3_600_000}`
      if (isElsewhere()) {
        yield* sql`INSERT INTO nodes ${sql.insert({
          id: "dead",
          name: "dead",
          machine: "another",
          pid: 1,
          version: "1",
          started_at: 0,
          renewed_at: 0,
          good_until: 0,
          backend: 0,
          format: newestFormat
        })}`
      }
      yield* working
      yield* until(linksOf(id), ({ video }) => link.test(video ?? ""))
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(world({ directory }), times)))
  })
})
