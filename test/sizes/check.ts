import { join } from "node:path"
import { Glob } from "bun"
import { sizesOf } from "./sizes.ts"

/* Checks that files, those of the tests too, are short, and that rules hold: part of `bun run check:static`. */

const root = join(import.meta.dir, "../..")

const read = async (pattern: string): Promise<Map<string, string>> => {
  const texts = new Map<string, string>()
  for await (const file of new Glob(pattern).scan(root)) texts.set(file, await Bun.file(join(root, file)).text())
  return texts
}

const sources = await read("{src,console}/**/*.{ts,tsx,css,html}")
const tests = await read("test/**/*.ts")
const shipped = await read("{package,examples}/**/*.{ts,js}")
const { complaints, longest, median, suppressions } = sizesOf(sources, shipped, {
  longest: 300,
  median: 80,
  suppressions: 16
})
const { complaints: ofTests } = sizesOf(tests, new Map(), { longest: 300, median: Infinity, suppressions: Infinity })
const wrong = [...complaints, ...ofTests]
for (const line of wrong) console.error(line)
console.log(
  `${sources.size} files, the longest of ${longest} lines, the median of ${median}, ${suppressions} suppressions`
)
process.exitCode = wrong.length === 0 ? 0 : 1
