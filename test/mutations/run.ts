/**
 * Breaks lines that guard money, keys, ids of others, order or durability, one at a time, in a copy of the repository,
 * and runs the tests that must notice.
 *
 *   bun run test:long mutations [part of a name…]
 *
 * Nothing runs while a mutant's line is not there: `mutants.test.ts` says so too.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Schema } from "effect"
import { postgresPrograms } from "../sql/postgresServer.ts"
import type { Mutant } from "./Mutant.ts"
import { mutants } from "./mutants.ts"
import { placesOf, replaceAt } from "./place.ts"
import { stale } from "./stale.ts"

const Test = Schema.Struct({ status: Schema.String, fullName: Schema.String })
const Report = Schema.parseJson(
  Schema.Struct({
    numPassedTests: Schema.Int,
    numFailedTests: Schema.Int,
    testResults: Schema.Array(Schema.Struct({ assertionResults: Schema.Array(Test) }))
  })
)

/** What hangs because of a mutant is noticed too. */
const longestMs = 600_000

const root = resolve(import.meta.dirname, "../..")
const copy = mkdtempSync(join(tmpdir(), "gateway-mutations-"))
const report = join(copy, "report.json")

/** What git knows of or would: the working tree as it is, without what was installed or built. */
const copied = () => {
  const { stdout } = Bun.spawnSync(["git", "ls-files", "-co", "--exclude-standard"], { cwd: root })
  for (const file of stdout.toString().split("\n")) {
    if (file === "") continue
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
}

/** How many of the tests passed and failed; undefined where there is no telling, or no end. */
const run = async (tests: ReadonlyArray<string>, bail: boolean) => {
  rmSync(report, { force: true })
  const vitest = Bun.spawn(
    [
      process.execPath,
      "--bun",
      "vitest",
      "run",
      "--testTimeout=60000",
      "--reporter=json",
      `--outputFile.json=${report}`
    ].concat(bail ? ["--bail=1"] : [], tests),
    {
      cwd: copy,
      // What is broken is mostly no engine's own: a test that both run would be as slow again, and fail for both.
      env: { ...process.env, CASES: "4", ...(tests.some(isOfPostgres) ? {} : { TEST_ENGINE: "sqlite" }) },
      stdio: ["ignore", "ignore", "ignore"],
      timeout: longestMs,
      killSignal: "SIGKILL"
    }
  )
  await vitest.exited
  if (vitest.signalCode !== null) return "endless"
  try {
    return Schema.decodeSync(Report)(readFileSync(report, "utf8"))
  } catch {
    return "broken"
  }
}

/** Tests that only Postgres has. */
const isOfPostgres = (test: string) =>
  /^test\/(sql\/(postgres|expanded)|(cluster|ledger|idempotency)\/nodes)/.test(test)

/** A mutant whose file can't even be read proves nothing: it is not killed. */
const fateOf = async ({ file, replacement, snippet, tests }: Mutant): Promise<string> => {
  const path = join(copy, file)
  const text = readFileSync(path, "utf8")
  const [place] = placesOf(text, snippet)
  if (place === undefined) return "broken"
  writeFileSync(path, replaceAt(text, place, replacement))
  try {
    const found = await run(tests, true)
    if (found === "endless") return "killed"
    if (found === "broken" || found.numPassedTests + found.numFailedTests === 0) return "broken"
    return found.numFailedTests > 0 ? "killed" : "survived"
  } finally {
    writeFileSync(path, text)
  }
}

const wanted = process.argv.slice(2)
const named = mutants.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
const chosen = named.filter(({ tests }) => postgresPrograms() !== undefined || !tests.some(isOfPostgres))
if (chosen.length < named.length) console.log("SKIPPED those of Postgres, which is not installed")
const gone = mutants.flatMap((mutant) => stale(mutant, root) ?? [])
if (gone.length > 0) {
  console.error(`Bring test/mutations up to date:\n${gone.join("\n")}`)
  process.exit(1)
}
if (chosen.length === 0) {
  console.error("No mutant is called so.")
  process.exit(1)
}
const fates: Array<string> = []
try {
  copied()
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))]
  console.log(`${chosen.length} mutants; first their ${tests.length} test files as they are.`)
  const whole = await run(tests, false)
  if (typeof whole === "string" || whole.numFailedTests > 0 || whole.numPassedTests === 0) {
    const all = typeof whole === "string" ? [] : whole.testResults.flatMap(({ assertionResults }) => assertionResults)
    const failed = all.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)
    throw new Error(`the tests do not pass without mutants: ${typeof whole === "string" ? whole : failed.join(", ")}`)
  }
  for (const mutant of chosen) {
    const began = performance.now()
    const fate = await fateOf(mutant)
    fates.push(fate)
    const seconds = Math.round((performance.now() - began) / 1_000)
    console.log(`${fate.padEnd(8)}  ${mutant.name}  (${mutant.file}, ${seconds} s)`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
const killed = fates.filter((fate) => fate === "killed").length
console.log(`${killed} killed, ${fates.length - killed} not`)
process.exit(killed === fates.length ? 0 : 1)
