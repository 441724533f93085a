import { join } from "node:path"
import { readAll, readSources } from "../imports/imports.ts"
import { vaguePronouns, vagueWords } from "./words.ts"

/*
 * Comments begin with their subject, exported types are named for what they are, and prose names its subjects: part of
 * `bun run check:static`.
 */

const root = join(import.meta.dir, "../..")
const sources = await readAll(root)
const pages = new Map<string, string>()
for (const pattern of ["*.md", "llms.txt", "docs/**/*.md", "docs/**/*.yaml"]) {
  for await (const name of new Bun.Glob(pattern).scan(root)) pages.set(name, await Bun.file(join(root, name)).text())
}
const tests = await readSources(join(root, "test"))
const complaints = [
  ...vagueWords(sources),
  ...vaguePronouns(new Map([...sources, ...pages])),
  ...vaguePronouns(tests, false)
]
for (const line of complaints) console.error(line)
console.log(`${sources.size + tests.size} files and ${pages.size} pages, ${complaints.length} vague words`)
process.exitCode = complaints.length === 0 ? 0 : 1
