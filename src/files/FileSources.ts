import { Context, Layer } from "effect"
import type { Effect, Option } from "effect"
import { missingMember } from "../contract/testDouble.ts"
import type { FilesUnavailable, StoredFile } from "./Files.ts"

/** A source of files that the gateway serves. */
export interface FileSource {
  /** The file, unless its link has expired or another source has it. */
  readonly file: (id: string, name: string) => Effect.Effect<Option.Option<StoredFile>, FilesUnavailable>
}

/** The sources of files, asked in order. */
export class FileSources extends Context.Tag("gateway/files/FileSources")<FileSources, ReadonlyArray<FileSource>>() {
  /** For tests: using a missing method dies. */
  static readonly Test = (...sources: ReadonlyArray<Partial<FileSource>>) =>
    Layer.succeed(
      FileSources,
      sources.map((given) => ({ file: missingMember(`${FileSources.key}.file`), ...given }))
    )
}
