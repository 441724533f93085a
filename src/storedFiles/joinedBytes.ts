import type { Read } from "../files/checkFile.ts"
import type { StoredFile } from "../files/Files.ts"

/** Reads stored files one after the other, chunk by chunk. */
export const joinedBytes = (files: ReadonlyArray<StoredFile>) => (): Read => {
  const chunks = chunksOf(files)
  return async () => {
    const next = await chunks.next()
    return next.done === true ? undefined : next.value
  }
}

async function* chunksOf(files: ReadonlyArray<StoredFile>): AsyncGenerator<Uint8Array, undefined> {
  for (const { part, size } of files) yield* part(0, size - 1)
}
