import { join } from "node:path"
import { Schema } from "effect"
import { check } from "recheck"
import { readSources } from "../imports/imports.ts"
import { regexesOf } from "./regexes.ts"

/*
 * Whether every regular expression of the sources takes linear time, whatever it is given: a few kilobytes would hold up
 * the whole process otherwise. Part of `bun run check:static`; verdicts are kept in `verdicts.json`, since all of
 * them together take minutes: only what is new is judged.
 */

/** Those that are made at run time, by the files that make them, and why they do no harm. */
const madeAtRunTime: ReadonlyMap<string, string> = new Map([
  ["tokens/tokenizer.ts", "the tokenizer's own, on words of a bounded stretch"],
  ["responses/ToolEntry.ts", "alternatives of fixed names, whole"],
  ["responses/InputItem.ts", "alternatives of fixed names, whole"],
  ["messages/Blocks.ts", "alternatives of fixed names, whole"],
  ["guardrails/restorer.ts", "alternatives of escaped texts of at most 200 characters"]
])

const Verdicts = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))
const cache = Bun.file(join(import.meta.dir, "verdicts.json"))
const known = (await cache.exists()) ? Schema.decodeSync(Verdicts)(await cache.text()) : {}

/**
 * The same verdict each time, however busy the machine is: work is bounded by its steps and not by the clock, but for what
 * would never end.
 */
const repeatable = {
  randomSeed: 1,
  timeout: 120_000,
  attackLimit: 100_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null
} as const

const judge = async (pattern: string, flags: string): Promise<string> => {
  const verdict = await check(pattern, flags, repeatable)
  if (verdict.status === "safe") return "linear"
  return verdict.status === "unknown" ? `can't be judged: ${verdict.error.kind}` : verdict.complexity.summary
}

const verdicts: Record<string, string> = {}
const complaints: Array<string> = []
const regexes = regexesOf(await readSources(join(import.meta.dir, "../../src")))
for (const { flags, pattern, place } of regexes) {
  if (pattern === undefined) {
    if (!madeAtRunTime.has(place.replace(/:.*/, "")))
      complaints.push(`${place}: made at run time, so it can't be checked`)
    continue
  }
  const spelt = `/${pattern}/${flags}`
  const verdict = (verdicts[spelt] ??= known[spelt] ?? (await judge(pattern, flags)))
  if (verdict !== "linear") complaints.push(`${place}: ${spelt}: ${verdict}`)
}
await cache.write(`${JSON.stringify(verdicts, null, 2)}\n`)
for (const line of complaints) console.error(line)
console.log(`${regexes.length} regular expressions, ${complaints.length} that may take more than linear time`)
process.exit(complaints.length === 0 ? 0 : 1)
