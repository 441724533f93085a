import { Data } from "effect"
import type { Effect, Option } from "effect"
import type { Incoming } from "./checked.ts"
import type { NotKept } from "./NotKept.ts"

/** The place where files live does not answer, or refuses. The message is for the log: it holds no secrets. */
export class FilesUnavailable extends Data.TaggedError("FilesUnavailable")<{ readonly message: string }> {}

/** A file that is there. */
export interface StoredFile {
  /** Bytes. */
  readonly size: number
  /** Unix ms. */
  readonly modifiedMs: number
  /** Its bytes from the first to the last, both included, as they are read. */
  readonly part: (first: number, last: number) => ReadableStream<Uint8Array>
}

/**
 * Files by key (`<room>/<id>/<name>`): there whole or not at all, whenever the process or the place dies. What depends on
 * the place (a folder, a bucket) stays below this.
 */
export interface Files {
  /** Where they live, for the log. */
  readonly place: string
  /** Whether the last who asked was not answered. */
  readonly isAway: () => boolean
  readonly find: (key: string) => Effect.Effect<Option.Option<StoredFile>, FilesUnavailable>
  /** Writes a file as it comes in; one of the same key is replaced. Answers its length in bytes. */
  readonly write: (key: string, incoming: Incoming) => Effect.Effect<number, NotKept | FilesUnavailable>
  /** Nothing where it is not there. */
  readonly remove: (key: string) => Effect.Effect<void, FilesUnavailable>
  /** Keys below a room that were written before a time (Unix ms). */
  readonly older: (room: string, beforeMs: number) => Effect.Effect<ReadonlyArray<string>, FilesUnavailable>
}
