import { resolve } from "node:path"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { lightRequests, read8, readOnce, startSeeded } from "./beside.ts"
import { adminPaths, ownPaths } from "./paths.ts"

/*
 * What a light request each 20 ms waits beside eight readers of each report, over 200,000 sums of days and of hours and
 * a million rows: `bun run test:long reports [-- --rows 10000000] [--seconds 3] [--engine sqlite] [--only usage]
 * [--source DIR]`. The loads with a report and without follow each other. `held` is the longest that the event loop's
 * thread was busy without a turn, in its own processor time. Fails where that is more than 20 ms.
 */
const option = (name: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}
const seconds = Number(option("seconds") ?? 3)
const only = option("only") ?? ""
const engine = option("engine")
const main = resolve(option("source") ?? resolve(import.meta.dirname, "../.."), "src/main.ts")
const size = { days: 365, hours: 400, requests: Number(option("rows") ?? 1_000_000) }
const mostHeldMs = 20

const ms = (value: number) => value.toFixed(1)
let failed = 0

const measure = async (name: string, database?: string) => {
  const begun = performance.now()
  const { dispose, gateway, seen } = await startSeeded(main, size, database)
  console.log(`\n${name}: ${size.requests} rows, seeded in ${ms((performance.now() - begun) / 1_000)} s\n`)
  console.log("| report | reads | one takes | alone p50/p99/most | beside p50/p99/most | held |")
  console.log("|---|---|---|---|---|---|")
  try {
    for (const path of [...ownPaths, ...adminPaths].filter((one) => one.includes(only))) {
      await readOnce(gateway, path)
      const oneBegun = performance.now()
      await readOnce(gateway, path)
      const oneMs = performance.now() - oneBegun
      const aloneEnds = lightRequests(gateway)
      await Bun.sleep(seconds * 1_000)
      const alone = await aloneEnds()
      await seen()
      const besideEnds = lightRequests(gateway)
      const times = await read8(gateway, path, seconds)
      const beside = await besideEnds()
      const { pauseMs } = await seen()
      if (pauseMs > mostHeldMs) failed++
      const waits = [alone, beside].map(({ most, p50, p99 }) => `${ms(p50)}/${ms(p99)}/${ms(most)}`)
      console.log(`| ${[path, times, ms(oneMs), ...waits, ms(pauseMs)].join(" | ")} |`)
    }
  } finally {
    await dispose()
  }
}

if (engine !== "postgres") await measure("SQLite")
const programs = postgresPrograms()
if (engine !== "sqlite" && programs !== undefined) {
  const postgres = await startPostgres(programs)
  try {
    await measure("Postgres", postgres.url)
  } finally {
    await postgres.dispose()
  }
}
console.log(
  failed === 0 ? "\nno report held the loop" : `\n${failed} reports held the loop longer than ${mostHeldMs} ms`
)
process.exit(failed === 0 ? 0 : 1)
