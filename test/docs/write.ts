import { join } from "node:path"
import { withBlocks } from "./blocks.ts"
import { configurationBlocks } from "./configurationTables.ts"
import { read } from "./documents.ts"
import { exampleBlocks } from "./examples.ts"
import { explainedBlocks } from "./explained.ts"
import { methodsBlocks } from "./methodsTable.ts"
import { mixedRun } from "./mixedRun.ts"
import { placesBlocks } from "./placesTable.ts"
import { roleBlocks } from "./roleTable.ts"
import { videoBlocks } from "./videoFields.ts"

/*
 * Writes the generated parts of pages: the tables of docs/configuration.md, from the Schema that reads the file, the tests
 * of docs/embedding.md, from examples/, the places of docs/compatibility.md, from the rows by which requests are fitted, and its methods, from the official clients, the roles of docs/people.md, the fields of docs/videos.md, from the protocols, and the requests that docs/errors.md explains, by a real run.
 */
const pages = {
  "docs/compatibility.md": { ...placesBlocks, ...(await methodsBlocks()) },
  "docs/configuration.md": configurationBlocks,
  "docs/embedding.md": await exampleBlocks(),
  "docs/people.md": roleBlocks,
  "docs/videos.md": videoBlocks,
  "docs/errors.md": explainedBlocks(await mixedRun())
}
for (const [page, blocks] of Object.entries(pages)) {
  await Bun.write(join(import.meta.dirname, "../..", page), withBlocks(await read(page), blocks))
  console.log(`written: ${page}`)
}
process.exit(0)
