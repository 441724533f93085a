import { Context, Effect, Layer } from "effect"
import { BadSettings } from "../config/document.ts"
import { ownDirectoryIfPossible } from "../config/ownFiles.ts"
import type { FilesPlace } from "../config/filesPlace.ts"
import { testDouble } from "../contract/testDouble.ts"
import type { Source } from "../credentials/Source.ts"
import { makeBucket } from "./Bucket.ts"
import type { Files } from "./Files.ts"
import { makeFolder } from "./Folder.ts"
import { inBoth } from "./inBoth.ts"
import { loggingOutages } from "./loggingOutages.ts"

/** Storage of the files that the gateway serves. */
export class FileStore extends Context.Tag("gateway/files/FileStore")<FileStore, Files>() {
  /** Stores files in a folder, which several machines may share. */
  static readonly folder = (path: string) => Layer.effect(FileStore, Effect.map(makeFolder(path), loggingOutages))

  /**
   * The configured storage, with older files of the data directory. Fails if the bucket is missing or refuses access.
   * @param directory the data directory
   * @param source finds the bucket's credentials
   */
  static readonly layer = (place: FilesPlace, directory: string, source: Source): Layer.Layer<FileStore, BadSettings> =>
    Layer.effect(
      FileStore,
      Effect.gen(function* () {
        const local = yield* makeFolder(directory, ownDirectoryIfPossible(directory))
        if (place.kind === "local") return loggingOutages(local)
        if (place.kind === "folder") return inBoth(loggingOutages(yield* folderOrFail(place.path)), local)
        const { files, refusal } = yield* makeBucket(place, source)
        const refused = yield* refusal
        if (refused !== undefined) return yield* new BadSettings({ message: `files: ${files.place}: ${refused}` })
        return inBoth(loggingOutages(files), local)
      })
    )

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<Files>) => testDouble(FileStore, given)
}

/** Reports a folder that can't be created as a setting's error. */
const folderOrFail = (path: string): Effect.Effect<Files, BadSettings> =>
  Effect.catchAllDefect(
    makeFolder(path),
    (cause) => new BadSettings({ message: `files: ${cause instanceof Error ? cause.message : path}` })
  )
