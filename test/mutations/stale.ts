import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Mutant } from "./Mutant.ts"

/** Why a mutant is none of the sources at `root`: its line must stand in its file, once. */
export const stale = ({ file, name, replacement, snippet }: Mutant, root: string): string | undefined => {
  const times = readFileSync(join(root, file), "utf8").split(snippet).length - 1
  if (times !== 1) return `${name}: the snippet stands ${times} times in ${file}`
  return replacement === snippet ? `${name}: nothing is changed` : undefined
}
