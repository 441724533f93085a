import { join } from "node:path"
import { complaints, importsOfAll, readAll, strayFutures } from "./imports.ts"
import { shippedElsewhere } from "./parts.ts"
import { followFutures, rooms } from "./rooms.ts"
import { misplacedSql } from "./statements.ts"

/* Checks imports against the table of rooms, that SQL is in stores and that services ask for parts. */

const sources = await readAll(join(import.meta.dir, "../.."))
const all = importsOfAll(sources)
const imports = [...complaints(all, rooms), ...strayFutures(all, followFutures)]
const statements = misplacedSql(sources)
const parts = shippedElsewhere(sources, "Parts.ts")
for (const line of [...imports, ...statements, ...parts]) console.error(line)
console.log(
  `${sources.size} files in ${Object.keys(rooms).length} rooms, ${imports.length} imports that may not be, ${statements.length} files with SQL that may not be, ${parts.length} defaults of parts elsewhere`
)
process.exitCode = imports.length + statements.length + parts.length === 0 ? 0 : 1
