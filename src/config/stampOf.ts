import { statSync } from "node:fs"

/** Identifies a version of a file; undefined if the file does not exist. */
export const stampOf = (path: string): string | undefined => {
  try {
    const { ino, mtimeMs, size } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return undefined
  }
}

/** Files by path, as they were before they were read. */
export type Stamps = ReadonlyMap<string, string | undefined>
