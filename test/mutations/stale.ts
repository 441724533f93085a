import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Mutant } from "./Mutant.ts"
import { placesOf } from "./place.ts"

/** Why a mutant is none of the sources at `root`: its line must stand in its file, once. */
export const stale = ({ file, name, replacement, snippet }: Mutant, root: string): string | undefined => {
  const times = placesOf(readFileSync(join(root, file), "utf8"), snippet).length
  if (times !== 1) return `${name}: the snippet stands ${times} times in ${file}`
  return replacement === snippet ? `${name}: nothing is changed` : undefined
}
