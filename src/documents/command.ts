import type { Command } from "./ReaderProcess.ts"

/** The gateway's hidden command that reads documents for its parent process. */
export const readDocuments = "read-documents"

/**
 * Command of the reader process. The compiled gateway runs itself; from sources, also when embedded, Bun runs the file.
 * An embedder's compiled binary must pass its own command to `Documents.layer`.
 */
export const ownCommand = (): Command =>
  Bun.main.startsWith("/$bunfs/")
    ? [process.execPath, readDocuments]
    : [process.execPath, `${import.meta.dirname}/process.${import.meta.url.endsWith(".js") ? "js" : "ts"}`]
