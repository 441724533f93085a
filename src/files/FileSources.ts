import { Context, Layer } from "effect"
import type { Effect, Option } from "effect"
import { unsupplied } from "../contract/testDouble.ts"
import type { FilesUnavailable, StoredFile } from "./Files.ts"

/** Somebody who makes files that are served at the gateway's own links. */
export interface FileSource {
  /** A file, while its link works; none for whatever is no file of this source. */
  readonly file: (id: string, name: string) => Effect.Effect<Option.Option<StoredFile>, FilesUnavailable>
}

/** Those who are asked for a link's file, in this order. */
export class FileSources extends Context.Tag("gateway/files/FileSources")<FileSources, ReadonlyArray<FileSource>>() {
  /** Sources for tests: one that is not given its method dies when it is asked. */
  static readonly Test = (...sources: ReadonlyArray<Partial<FileSource>>) =>
    Layer.succeed(
      FileSources,
      sources.map((given) => ({ file: unsupplied(`${FileSources.key}.file`), ...given }))
    )
}
