import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs"
import { Effect } from "effect"

/** What others than the owner may do, of a mode's bits. */
const others = 0o077
const othersMayWrite = 0o022

/**
 * Makes a directory of the gateway's own, for its user alone. One that is there already may serve others too: it is
 * never changed, and whoever runs the gateway is warned where others may write to it. Throws what the disk says.
 */
export const ownDirectory = (path: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) return Effect.void
    const { mode } = statSync(path)
    return (mode & othersMayWrite) === 0
      ? Effect.void
      : Effect.annotateLogs(Effect.logWarning("others may write to a directory that the gateway keeps files in"), {
          directory: path,
          mode: octal(mode)
        })
  })

/** Lets nobody but their owner read or write these files, where they are there, and says which it had to change. */
export const ownFiles = (...paths: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(paths, ownFile, { discard: true })

const ownFile = (path: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || !found.isFile() || (found.mode & others) === 0) return Effect.void
    const fields = { file: path, mode: octal(found.mode) }
    try {
      chmodSync(path, 0o600)
    } catch {
      return Effect.annotateLogs(Effect.logWarning("others may open a file of the gateway's, and it stays so"), fields)
    }
    return Effect.annotateLogs(Effect.logWarning("others could open a file of the gateway's; no longer"), fields)
  })

/** Makes a file that nobody but its owner can open, unless it is there. Throws what the disk says. */
export const makeOwnFile = (path: string): void => closeSync(openSync(path, "a", 0o600))

const octal = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0")
