import { Data } from "effect"
import type { Effect, Option } from "effect"
import type { Incoming } from "./checkFile.ts"
import type { NotKept } from "./NotKept.ts"

/** The file storage does not answer, or refuses. The message is for the log and holds no secrets. */
export class FilesUnavailable extends Data.TaggedError("FilesUnavailable")<{ readonly message: string }> {}

/** A stored file. */
export interface StoredFile {
  /** Bytes. */
  readonly size: number
  /** Unix ms. */
  readonly modifiedMs: number
  /** Streams the bytes from `first` to `last`, inclusive. */
  readonly part: (first: number, last: number) => ReadableStream<Uint8Array>
}

/** Files by key (`<room>/<id>/<name>`), in a folder or a bucket. Writes are atomic: a crash leaves no partial file. */
export interface Files {
  /** The storage's name, for the log. */
  readonly place: string
  /** The last call failed. */
  readonly isAway: () => boolean
  readonly find: (key: string) => Effect.Effect<Option.Option<StoredFile>, FilesUnavailable>
  /** Streams a file into storage, replacing one with the same key. Returns its length in bytes. */
  readonly write: (key: string, incoming: Incoming) => Effect.Effect<number, NotKept | FilesUnavailable>
  /** Succeeds also if the file does not exist. */
  readonly remove: (key: string) => Effect.Effect<void, FilesUnavailable>
  /** Keys of a room that were written before a time (Unix ms). Removes what killed processes left half written in it. */
  readonly older: (room: string, beforeMs: number) => Effect.Effect<ReadonlyArray<string>, FilesUnavailable>
}
