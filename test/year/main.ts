import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { runCommand } from "../e2e/command.ts"
import { startGateway } from "../e2e/process.ts"
import { adminKey, lightRequests, readOnce } from "../reports/beside.ts"
import type { Waits } from "../reports/beside.ts"
import { adminPaths, ownPaths } from "../reports/paths.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { seedYear } from "./seed.ts"

/*
 * A year of rows: each page within a second, backup and restore, and old rows that go beside light requests:
 * `bun run test:long year [--requests 10000000] [--tasks 2000000] [--engine sqlite]
 * [--keep 90] [--seeded FILE]`. Fails where a page takes longer.
 */
const option = (name: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}
const year = { requests: Number(option("requests") ?? 1_000_000), tasks: Number(option("tasks") ?? 200_000) }
const engine = option("engine")
/** Days of rows that are left. */
const keep = Number(option("keep") ?? 90)
/** A file of SQLite that was seeded before, which is used up. */
const made = option("seeded")
const mostPageMs = 1_000
const aloneMs = 15_000

/** What the console asks for over months, beside the reports. */
const ofTheYear: ReadonlyArray<string> = [
  "/admin/v1/overview?from=365d",
  "/admin/v1/overview/groups?from=365d&by=model",
  "/admin/v1/overview/groups?from=365d&by=upstream",
  "/admin/v1/requests?limit=50",
  "/admin/v1/requests?limit=50&status=429",
  "/admin/v1/tasks?limit=50",
  "/admin/v1/tasks?limit=50&state=failed",
  "/admin/v1/usage?since=365d&by=key",
  "/admin/v1/usage?since=365d&by=upstream"
]
/** They read rows to their end by their nature. */
const isLong = (path: string): boolean => path.includes("/export") || path.includes("format=csv")

const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0)
const waits = ({ most, p50, p99 }: Waits) => `${ms(p50)} / ${ms(p99)} / ${ms(most)}`
const timed = async (run: () => unknown): Promise<number> => {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}
/** Processes that want a core: on a shared machine, what is measured depends on them. */
const load = () => `load ${loadavg()[0]?.toFixed(0)}`
let failed = 0

const measure = async (name: string, database?: string) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-year-"))
  mkdirSync(join(folder, "data"))
  const file = join(folder, "data/gateway.db")
  const env = {
    GATEWAY_ADMIN_KEY: adminKey,
    GATEWAY_CHECK_ANSWERS: "false",
    ...(database === undefined ? {} : { GATEWAY_DATABASE_URL: database })
  }
  const start = (days: Readonly<Record<string, number>>) => {
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ retention: days }))
    return startGateway({ folder, toFile: true, env })
  }
  const stop = async (gateway: Awaited<ReturnType<typeof start>>) => {
    gateway.signal("SIGTERM")
    await gateway.exited
  }
  const seconds = (took: number) => `${(took / 1_000).toFixed(1)} s`
  const size = () => (database === undefined ? `, ${Math.round(statSync(file).size / 1_000_000)} MB` : "")
  try {
    const seeded = await timed(() =>
      made === undefined ? seedYear(database ?? `sqlite:${file}`, year) : renameSync(made, file)
    )
    console.log(`\n${name}: ${year.requests} requests, ${year.tasks} tasks; seeded in ${seconds(seeded)}${size()}\n`)
    const whole = await start({ requests_days: 400, tasks_days: 400 })
    const paths = [...ownPaths, ...adminPaths, ...ofTheYear]
    let slow = 0
    for (const path of paths) {
      const firstMs = await timed(() => readOnce(whole, path))
      const againMs = await timed(() => readOnce(whole, path))
      if (Math.min(firstMs, againMs) <= mostPageMs) continue
      slow++
      if (!isLong(path)) failed++
      console.log(`slow: ${path}: ${ms(firstMs)} ms, then ${ms(againMs)} ms`)
    }
    console.log(`${paths.length - slow} of ${paths.length} pages within a second`)
    const ends = lightRequests(whole)
    await Bun.sleep(aloneMs)
    console.log(`light requests alone, p50 / p99 / most ms: ${waits(await ends())}; ${load()}`)
    await stop(whole)
    await backups(folder, database, seconds)
    const begun = performance.now()
    const removing = await start({ usage_days: keep, requests_days: keep, tasks_days: keep })
    const besideEnds = lightRequests(removing)
    const measuring = Bun.sleep(aloneMs).then(besideEnds)
    let told = ""
    while (told === "") {
      await Bun.sleep(1_000)
      const answer = await fetch(`${removing.url}/admin/v1/audit?action=retention.usage`, {
        headers: { authorization: `Bearer ${adminKey}` }
      })
      const { data } = (await answer.json()) as { readonly data: ReadonlyArray<{ readonly after: unknown }> }
      if (data[0] !== undefined) told = JSON.stringify(data[0].after)
    }
    console.log(`old rows of usage gone after ${seconds(performance.now() - begun)}: ${told}`)
    console.log(`light requests meanwhile: ${waits(await measuring)}; ${load()}`)
    const afterEnds = lightRequests(removing)
    await Bun.sleep(aloneMs)
    console.log(`light requests afterwards: ${waits(await afterEnds())}; ${load()}`)
    await stop(removing)
    if (database === undefined) {
      const took = await timed(async () => {
        const { code, err } = await runCommand(folder, ["db", "compact"])
        if (code !== 0) throw new Error(err)
      })
      console.log(`compacted in ${seconds(took)}${size()}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Backs the database up and puts it back elsewhere. */
const backups = async (folder: string, database: string | undefined, seconds: (took: number) => string) => {
  const file = join(folder, "backup")
  const elsewhere = join(folder, "elsewhere")
  mkdirSync(join(elsewhere, "data"), { recursive: true })
  const run = (...[command = "", ...args]: ReadonlyArray<string>) =>
    execFileSync(join(postgresPrograms() ?? "", command), args, { stdio: ["ignore", "ignore", "inherit"] })
  const gateway = async (where: string, ...args: ReadonlyArray<string>) => {
    const { code, err } = await runCommand(where, args)
    if (code !== 0) throw new Error(err)
  }
  const there = database?.replace(/\/[^/]*$/, "/elsewhere") ?? ""
  const saved = await timed(() =>
    database === undefined ? gateway(folder, "backup", file) : run("pg_dump", "-Fc", "-f", file, database)
  )
  const put = await timed(async () => {
    if (database === undefined) return await gateway(elsewhere, "restore", file)
    run("createdb", "--maintenance-db", database, "elsewhere")
    run("pg_restore", "-d", there, file)
  })
  console.log(`backup ${seconds(saved)}, restore ${seconds(put)}`)
  if (database !== undefined) run("dropdb", "--maintenance-db", database, "elsewhere")
  rmSync(file)
  rmSync(elsewhere, { recursive: true })
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
process.exit(failed === 0 ? 0 : 1)
