import { Context, Effect, Layer } from "effect"
import { BadSettings } from "../config/document.ts"
import type { FilesPlace } from "../config/filesPlace.ts"
import { testDouble } from "../contract/testDouble.ts"
import { makeBucket } from "./Bucket.ts"
import type { Files } from "./Files.ts"
import { makeFolder } from "./Folder.ts"
import { inBoth } from "./inBoth.ts"
import { told } from "./told.ts"

/** Where the gateway's files live: what it serves at its own links. */
export class FileStore extends Context.Tag("gateway/files/FileStore")<FileStore, Files>() {
  /** In a folder, of this process alone or shared by several machines. */
  static readonly folder = (path: string) => Layer.effect(FileStore, Effect.map(makeFolder(path), told))

  /**
   * Where the settings say, and what this machine kept before they said so. Fails where a bucket is not there, or refuses.
   * @param directory the data directory
   */
  static readonly layer = (place: FilesPlace, directory: string): Layer.Layer<FileStore, BadSettings> =>
    Layer.effect(
      FileStore,
      Effect.gen(function* () {
        const local = yield* makeFolder(directory)
        if (place.kind === "local") return told(local)
        if (place.kind === "folder") return inBoth(told(yield* made(place.path)), local)
        const { files, refusal } = makeBucket(place)
        const refused = yield* refusal
        if (refused !== undefined) return yield* new BadSettings({ message: `files: ${files.place}: ${refused}` })
        return inBoth(told(files), local)
      })
    )

  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<Files>) => testDouble(FileStore, given)
}

/** A folder that can't be made is the operator's to see. */
const made = (path: string): Effect.Effect<Files, BadSettings> =>
  Effect.catchAllDefect(
    makeFolder(path),
    (cause) => new BadSettings({ message: `files: ${cause instanceof Error ? cause.message : path}` })
  )
