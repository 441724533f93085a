import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layer } from "../../src/sql/Database.ts"
import { Notices } from "../../src/sql/Notices.ts"
import { eventually } from "../tasks/engine.ts"
import { engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const newUrl = Effect.suspend(() => (postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url))

/** A process, and what it has heard: each time the names, or undefined for all. */
const start = (url: string) =>
  Effect.gen(function* () {
    const built = yield* Layer.build(layer({ url, exclusive: false }))
    const sql = Context.get(built, SqlClient.SqlClient)
    const notices = yield* Effect.provide(Notices, built)
    const heard: Array<ReadonlyArray<string> | undefined> = []
    notices.listen("answers", (names) => heard.push(names === undefined ? undefined : [...names]))
    // Everything is read when it begins to listen.
    yield* hears(heard, (all) => all.length === 1)
    expect(heard.shift()).toBe(undefined)
    return { sql, heard, tell: (name: string) => notices.notify("answers", name) }
  })

const hears = (heard: ReadonlyArray<ReadonlyArray<string> | undefined>, isSo: (all: typeof heard) => boolean) =>
  eventually(
    Effect.sync(() => heard),
    isSo
  )

describe.runIf(inject("postgres") !== undefined)("notices", () => {
  it.scopedLive("reach the others, many at once, and not the sender", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const [one, other, third] = yield* Effect.all([start(url), start(url), start(url)])
      const names = Array.from({ length: 50 }, (_, n) => `name ${n}`)
      names.forEach(one.tell)
      for (const { heard } of [other, third]) {
        yield* hears(heard, (all) => all.flat().length === 50)
        expect(heard.length).toBeLessThan(5)
        expect(heard.flat()).toEqual(names)
      }
      other.tell("back")
      yield* hears(one.heard, (all) => all.length > 0)
      expect(one.heard).toEqual([["back"]])
    })
  )

  it.scopedLive("that are too many for a message say that all is to be read", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const [one, other] = yield* Effect.all([start(url), start(url)])
      for (let n = 0; n < 1_000; n++) one.tell(`some name ${n}`)
      yield* hears(other.heard, (all) => all.length > 0)
      expect(other.heard).toContain(undefined)
    })
  )

  it.scopedLive("arrive after the connection that listens was killed, and all is read again first", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const [one, other] = yield* Effect.all([start(url), start(url)])
      for (let round = 0; round < 3; round++) {
        yield* one.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'gateway listen'`
        yield* hears(other.heard, (all) => all.length === 1)
        expect(other.heard.shift()).toBe(undefined)
        one.tell("after")
        yield* hears(other.heard, (all) => all.length === 1)
        expect(other.heard.shift()).toEqual(["after"])
      }
    })
  )

  it.scopedLive("are told once the connection that tells is back", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const [one, other] = yield* Effect.all([start(url), start(url)])
      for (let round = 0; round < 3; round++) {
        one.tell(`before ${round}`)
        yield* other.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'gateway node'`
        one.tell(`after ${round}`)
        yield* hears(
          other.heard,
          (all) => all.flat().includes(`before ${round}`) && all.flat().includes(`after ${round}`)
        )
      }
    })
  )
})
