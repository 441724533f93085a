import { join } from "node:path"
import { complaints, importsOfAll, readSources, strayFutures } from "./imports.ts"
import { followFutures, rooms } from "./rooms.ts"
import { misplacedSql } from "./statements.ts"

/* Whether imports are as the table of rooms has them, and SQL is in stores; part of `bun run check:static`. */

const sources = await readSources(join(import.meta.dir, "../../src"))
const all = importsOfAll(sources)
const imports = [...complaints(all, rooms), ...strayFutures(all, followFutures)]
const statements = misplacedSql(sources)
for (const line of [...imports, ...statements]) console.error(line)
console.log(
  `${sources.size} files in ${Object.keys(rooms).length} rooms, ${imports.length} imports that may not be, ${statements.length} files with SQL that may not be`
)
process.exitCode = imports.length + statements.length === 0 ? 0 : 1
