import { join } from "node:path"
import { withBlocks } from "./blocks.ts"
import { configurationBlocks } from "./configurationTables.ts"
import { read } from "./documents.ts"
import { explainedBlocks } from "./explained.ts"
import { mixedRun } from "./mixedRun.ts"

/*
 * Writes what is generated of the pages: the tables of docs/configuration.md, from the Schema that reads the file, and the
 * requests that docs/errors.md explains, by a real run.
 */
const pages = {
  "docs/configuration.md": configurationBlocks,
  "docs/errors.md": explainedBlocks(await mixedRun())
}
for (const [page, blocks] of Object.entries(pages)) {
  await Bun.write(join(import.meta.dirname, "../..", page), withBlocks(await read(page), blocks))
  console.log(`written: ${page}`)
}
process.exit(0)
