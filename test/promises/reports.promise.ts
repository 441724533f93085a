import { resolve } from "node:path"
import { afterAll, describe, it } from "vitest"
import { readOnce, startSeeded } from "../reports/beside.ts"
import type { Seeded } from "../reports/beside.ts"
import { longestPaths } from "../reports/paths.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import type { PostgresServer } from "../sql/postgresServer.ts"
import { keeps } from "./keeps.ts"

const given = process.env["TEST_GATEWAY"]
const main = given?.endsWith(".js") === true ? given : resolve(import.meta.dirname, "../../src/main.ts")
/** 200,000 sums of days, and of hours. `test:long reports` reads a million rows. */
const size = { days: 400, hours: 400, requests: 50_000 }
const mostHeldMs = 20
const programs = postgresPrograms()

describe.each(programs === undefined ? ["sqlite"] : ["sqlite", "postgres"])("on %s", (engine) => {
  let postgres: PostgresServer | undefined
  let seeded: Seeded | undefined
  const begin = async (): Promise<Seeded> => {
    if (engine === "postgres" && programs !== undefined) postgres = await startPostgres(programs)
    return await startSeeded(main, size, postgres?.url)
  }
  afterAll(async () => {
    await seeded?.dispose()
    await postgres?.dispose()
  })

  it.each(longestPaths)("eight readers of %s leave the event loop to others", async (path) => {
    const { gateway, seen } = (seeded ??= await begin())
    await keeps(
      `${path}, on ${engine}`,
      mostHeldMs,
      async () => {
        // Once compiled, as what is read over and over.
        await readOnce(gateway, path)
        await seen()
        await Promise.all(Array.from({ length: 8 }, (_, reader) => readOnce(gateway, path, reader)))
        return (await seen()).pauseMs
      },
      "objects"
    )
  })
})
