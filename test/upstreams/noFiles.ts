import { Effect } from "effect"
import type { CallerFiles } from "../../src/guard/CallerFiles.ts"

/** For upstreams that are not asked about files at addresses. */
export const noFiles: CallerFiles = {
  read: () => Effect.dieMessage("no file is fetched here"),
  forget: () => {}
}

/** The same for documents, too. */
export const readsNothing = {
  readDocument: () => Effect.dieMessage("no document is read here"),
  files: noFiles
}
