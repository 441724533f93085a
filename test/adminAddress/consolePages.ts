import { readdirSync } from "node:fs"
import { join } from "node:path"

/** Names of the console's pages that only operators and holders of keys need: those of its router. */
export const pagesOf: ReadonlyArray<string> = readdirSync(join(import.meta.dirname, "../../console/pages"))
  .map((file) => file.replace(/\.tsx?$/, "").toLowerCase())
  .filter((page) => !["device", "consent", "tools"].includes(page))
