import { homedir } from "node:os"
import { join } from "node:path"
import { mostOfSettings, regularFiles, UnreadableFile } from "../flow/RegularFiles.ts"
import { readNamed } from "./readNamed.ts"

/**
 * AWS's library reads its files with calls that wait for a FIFO or a hung mount, one of them on the event loop. It takes
 * what was read before in their place.
 */
const given = async () => {
  const { externalDataInterceptor } = await import("@smithy/core/config")
  return externalDataInterceptor
}

const sharedFiles = [
  ["AWS_CONFIG_FILE", "config"],
  ["AWS_SHARED_CREDENTIALS_FILE", "credentials"]
] as const

/** Reads the files of profiles. One that is missing or may not be read is empty, as for the library. */
export const readProfileFiles = async (): Promise<void> => {
  const library = await given()
  for (const [variable, name] of sharedFiles) {
    const path = process.env[variable] ?? join(homedir(), ".aws", name)
    const file = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path
    library.interceptFile(file, await regularFiles.read(file, mostOfSettings).catch(missingWords))
  }
}

const missingWords = (cause: unknown): string => {
  if (cause instanceof UnreadableFile && /^E[A-Z]+$/.test(cause.reason)) return ""
  throw cause
}

/** Reads a file with a token, which the cluster renews. */
export const readTokenFile = async (file: string | undefined): Promise<void> => {
  if (file === undefined || file === "") return
  const library = await given()
  library.interceptToken(file, await readNamed("web_identity_token_file", file))
}
