import { join } from "node:path"
import { readSources } from "../imports/imports.ts"
import { vagueWords } from "./words.ts"

/* Comments begin with their subject and exported types are named for what they are: part of `bun run check:static`. */

const sources = await readSources(join(import.meta.dir, "../../src"))
for (const file of sources.keys()) if (file.startsWith("console/app/")) sources.delete(file)
const complaints = vagueWords(sources)
for (const line of complaints) console.error(line)
console.log(`${sources.size} files, ${complaints.length} comments and types in vague words`)
process.exitCode = complaints.length === 0 ? 0 : 1
