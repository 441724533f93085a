import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { Schema } from "effect"
import { fastFolder } from "./fastFolder.ts"
import { runGroup } from "./processGroup.ts"

/*
 * The suite, and what it came to in one plain line, the last: `N passed, M failed`. What is given on the command line
 * goes to vitest: `bun run test test/ledger -t "rounds"`. Where only few files of a whole configuration fail, those are
 * run once more, alone: what passes then is named as unsteady, and only what fails twice has failed. What failed is named
 * once more above the last line, with how its message begins: of a long log often only the end is at hand. So are the files
 * that took most of the processors' time.
 */

const Report = Schema.parseJson(
  Schema.Struct({
    numPassedTests: Schema.Int,
    numPendingTests: Schema.Int,
    numTodoTests: Schema.Int,
    testResults: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        status: Schema.String,
        message: Schema.String,
        assertionResults: Schema.Array(
          Schema.Struct({
            fullName: Schema.String,
            status: Schema.String,
            failureMessages: Schema.Array(Schema.String)
          })
        )
      })
    )
  })
)
type Report = typeof Report.Type

const args = process.argv.slice(2)

/** More of them fail for a reason. */
const mostAgain = 5

/** The tests, and the lines of each message, that are told above the last line. */
const mostNamed = 12
const mostLines = 3

/** Of so many files the processor time is told. */
const mostCosts = 12

/** What measures time has its files where a gateway has them, and the compilers that it has. */
const isTimed = args.includes("--config")

/** Everything temporary of this run. Postgres, which does not run as root, passes through it. */
const directory = mkdtempSync(join(isTimed ? tmpdir() : fastFolder(), "gateway-tests-"))
chmodSync(directory, 0o711)
process.on("exit", () => rmSync(directory, { recursive: true, force: true }))

/** `test/costs.ts` notes there what each file took. */
const costsFile = join(directory, "costs")

/** Few tests run a function so often that the last compiler pays: without it they take four fifths of the CPU time. */
const compiling = isTimed ? {} : { BUN_JSC_useFTLJIT: "0" }

/** @returns what the run reported; undefined where it was killed, or could not begin */
const run = async (
  name: string,
  args: ReadonlyArray<string>
): Promise<{ readonly report: Report | undefined; readonly exitCode: number }> => {
  const reportFile = join(directory, `${name}.json`)
  const reporters = ["--reporter=default", "--reporter=./test/progress.ts", "--reporter=json"]
  const exitCode = await runGroup(
    [process.execPath, "--bun", "vitest", "run", ...reporters, `--outputFile.json=${reportFile}`, ...args],
    { env: { ...process.env, ...compiling, TMPDIR: directory, TEST_COSTS: costsFile } }
  )
  try {
    return { report: Schema.decodeSync(Report)(readFileSync(reportFile, "utf8")), exitCode }
  } catch {
    return { report: undefined, exitCode }
  }
}

interface Failed {
  readonly file: string
  /** Absent where the file could not be loaded: it has no tests of its own to count. */
  readonly test: string | undefined
  readonly message: string
}

const failedIn = ({ testResults }: Report): ReadonlyArray<Failed> =>
  testResults.flatMap(({ assertionResults, message, name: file, status }): ReadonlyArray<Failed> => {
    if (status === "failed" && assertionResults.length === 0) return [{ file, test: undefined, message }]
    return assertionResults.flatMap((one) =>
      one.status === "failed" ? [{ file, test: one.fullName, message: one.failureMessages.join("\n") }] : []
    )
  })

const isIn = (all: ReadonlyArray<Failed>, { file, test }: Failed) =>
  all.some((one) => one.file === file && one.test === test)

/** What failed, but for what passes when the others are not there; says which. */
const failedTwice = async (failed: ReadonlyArray<Failed>): Promise<ReadonlyArray<Failed>> => {
  const files = new Set(failed.map(({ file }) => relative(process.cwd(), file)))
  if (files.size === 0 || files.size > mostAgain) return failed
  console.log(`Once more, alone: ${[...files].join(", ")}`)
  const { report } = await run("again", [...args, ...files, "--no-file-parallelism", "--isolate"])
  if (report === undefined) return failed
  const again = failedIn(report)
  const steady = failed.filter((one) => isIn(again, one))
  for (const one of failed) {
    if (!isIn(steady, one)) console.log(`unsteady: ${relative(process.cwd(), one.file)} ${one.test ?? ""}`)
  }
  return [...steady, ...again.filter((one) => !isIn(steady, one))]
}

/** What failed in few lines, each of which begins with `FAIL` or with a blank. */
const summary = (failed: ReadonlyArray<Failed>): ReadonlyArray<string> =>
  failed.slice(0, mostNamed).flatMap(({ file, message, test }) => [
    `FAIL ${relative(process.cwd(), file)} > ${test ?? "could not be loaded"}`,
    ...message
      .split("\n")
      .filter((line) => line.trim() !== "" && !/^\s+at /.test(line))
      .slice(0, mostLines)
      .map((line) => `  ${line.slice(0, 240)}`)
  ])

/** What took most of the processors' time, in seconds. */
const costs = (): ReadonlyArray<string> => {
  if (!existsSync(costsFile)) return []
  const noted = readFileSync(costsFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => [Number(line.split(" ")[0]), line] as const)
    .toSorted(([one], [other]) => other - one)
  const all = noted.reduce((sum, [seconds]) => sum + seconds, 0)
  const most = noted.slice(0, mostCosts).map(([, line]) => line)
  return [`Processor time, of ${Math.round(all)} s in all files: ${most.join(", ")}`]
}

console.log("Running vitest; a file is named when it is done.")
const { exitCode, report } = await run("first", args)
const first = report === undefined ? [] : failedIn(report)
const isWhole = args.length === 0 || (args.length === 2 && args[0] === "--config")
const failed = isWhole ? await failedTwice(first) : first
if (report === undefined) {
  console.log("0 passed, 1 failed")
  process.exitCode = 1
} else {
  const skipped = report.numPendingTests + report.numTodoTests
  if (skipped > 0) console.log(`${skipped} skipped`)
  const mended = first.filter((one) => one.test !== undefined && !isIn(failed, one)).length
  for (const line of costs()) console.log(line)
  for (const line of summary(failed)) console.log(line)
  const unexplained = exitCode !== 0 && first.length === 0 ? 1 : 0
  console.log(`${report.numPassedTests + mended} passed, ${failed.length + unexplained} failed`)
  process.exitCode = failed.length + unexplained === 0 ? 0 : 1
}
