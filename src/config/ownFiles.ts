import { accessSync, chmodSync, constants, closeSync, mkdirSync, openSync, statSync } from "node:fs"
import { Effect } from "effect"

/** Mode bits of group and others. */
const others = 0o077
const othersMayWrite = 0o022

/**
 * Creates a directory that only the gateway's user can open. An existing directory keeps its mode, since it may be shared;
 * a warning is logged if others may write to it. Throws file system errors.
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

/**
 * The same for a directory that a gateway can do without: with its data in Postgres it runs as any user, and where nothing
 * may be written.
 *
 * @returns true if files can be written there
 */
export const ownDirectoryIfPossible = (path: string): Effect.Effect<boolean> =>
  ownDirectory(path).pipe(
    Effect.zipRight(Effect.sync(() => accessSync(path, constants.W_OK))),
    Effect.as(true),
    Effect.catchAllDefect((cause) =>
      Effect.logWarning("a directory can't be written: the gateway keeps no files of its own there").pipe(
        Effect.annotateLogs({ directory: path, reason: cause instanceof Error ? cause.message : String(cause) }),
        Effect.as(false)
      )
    )
  )

/** Restricts existing files to their owner, and logs each change. */
export const ownFiles = (...paths: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(paths, ownFile, { discard: true })

const ownFile = (path: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || !stat.isFile() || (stat.mode & others) === 0) return Effect.void
    const fields = { file: path, mode: octal(stat.mode) }
    try {
      chmodSync(path, 0o600)
    } catch {
      return Effect.annotateLogs(Effect.logWarning("others can open a file of the gateway: chmod failed"), fields)
    }
    return Effect.annotateLogs(
      Effect.logWarning("others could open a file of the gateway: its mode is now 0600"),
      fields
    )
  })

/** Creates a file that only its owner can open, unless it exists. Throws file system errors. */
export const makeOwnFile = (path: string): void => closeSync(openSync(path, "a", 0o600))

const octal = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0")
