import type { Command } from "./ReaderProcess.ts"

/** The command of the gateway's own, which its help does not list: it reads documents for the process that begins it. */
export const readDocuments = "read-documents"

/**
 * How a process is begun that reads documents. A compiled binary is its own reader; from sources, also inside somebody
 * else's program, Bun runs the file. (Somebody else's binary gives `Documents.layer` a command of its own.)
 */
export const ownCommand = (): Command =>
  Bun.main.startsWith("/$bunfs/")
    ? [process.execPath, readDocuments]
    : [process.execPath, `${import.meta.dirname}/process.${import.meta.url.endsWith(".js") ? "js" : "ts"}`]
