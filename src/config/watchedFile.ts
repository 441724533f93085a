import { Effect } from "effect"
import { regularFiles, UnreadableFile } from "../flow/RegularFiles.ts"

/**
 * Identifies a version of a file; undefined if the file does not exist. Fails if it does not answer. The time of its last
 * change counts too: `chmod` makes a file readable, and `cp -p` and `rsync` set the time of its content back.
 */
export const stampOf = (path: string): Effect.Effect<string | undefined, UnreadableFile> =>
  Effect.map(lookAt(path), (found) => found && `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`)

/** A file's metadata; undefined if it does not exist. */
export const lookAt = (path: string) => waitFor(path, () => regularFiles.look(path))

/** The text of a regular file of at most `most` bytes. */
export const readFile = (path: string, most: number) => waitFor(path, () => regularFiles.read(path, most))

const waitFor = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, UnreadableFile> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      cause instanceof UnreadableFile ? cause : new UnreadableFile({ path, reason: String(cause), isSilent: false })
  })

/** Files by path, as they were before they were read. */
export type Stamps = ReadonlyMap<string, string | undefined>
