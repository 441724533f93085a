import { mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Option } from "effect"
import { ownDirectory } from "../config/ownFiles.ts"
import { checkFile } from "./checkFile.ts"
import type { Incoming } from "./checkFile.ts"
import { FilesUnavailable } from "./Files.ts"
import type { Files, StoredFile } from "./Files.ts"
import { NotKept } from "./NotKept.ts"

/** A partial file without writes for this long is deleted. */
const abandonedMs = 60 * 60_000

/** Bytes written between checks of the free disk space. */
const lookEvery = 32 * 1024 ** 2

/** Stores files in a folder, which several processes and machines may share: partial files have unique names. */
export const makeFolder = (
  folder: string,
  prepare: Effect.Effect<unknown> = ownDirectory(folder)
): Effect.Effect<Files> => {
  const pathOf = (key: string) => join(folder, key)

  const find = (key: string): Effect.Effect<Option.Option<StoredFile>, FilesUnavailable> =>
    attempt(async () => {
      const path = pathOf(key)
      const info = await unlessMissing(stat(path))
      return info === undefined || !info.isFile()
        ? Option.none()
        : Option.some({
            size: info.size,
            modifiedMs: info.mtimeMs,
            part: (first: number, last: number) =>
              Bun.file(path)
                .slice(first, last + 1)
                .stream()
          })
    })

  const write = (key: string, incoming: Incoming) =>
    Effect.tryPromise({
      try: (signal) => writeFile(pathOf(key), incoming, signal),
      catch: (cause) => (cause instanceof NotKept ? cause : unavailable(cause))
    })

  const remove = (key: string) => attempt(() => removeFile(pathOf(key)))

  const older = (room: string, beforeMs: number) =>
    attempt(async () => {
      const keys: Array<string> = []
      for (const id of (await unlessMissing(readdir(pathOf(room), { withFileTypes: true }))) ?? []) {
        if (!id.isDirectory()) continue
        for (const name of (await unlessMissing(readdir(pathOf(`${room}/${id.name}`)))) ?? []) {
          const key = `${room}/${id.name}/${name}`
          const writtenMs = (await unlessMissing(stat(pathOf(key))))?.mtimeMs ?? Infinity
          if (isPart(name)) {
            if (writtenMs < Date.now() - abandonedMs) await removeFile(pathOf(key))
          } else if (writtenMs < beforeMs) keys.push(key)
        }
      }
      return keys
    })

  return Effect.as(prepare, { place: folder, isAway: () => false, find, write, remove, older })
}

const removeFile = async (path: string): Promise<void> => {
  await rm(path, { force: true })
  // Fails, and keeps the folder, if it holds other files.
  await rmdir(dirname(path)).catch(() => {})
}

const isPart = (name: string) => name.endsWith(".part")

const writeFile = async (path: string, incoming: Incoming, signal: AbortSignal): Promise<number> => {
  const { length, read } = await checkFile(incoming)
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await mustHaveRoom(folder, incoming)
  const part = `${path}.${crypto.randomUUID()}.part`
  const handle = await open(part, "wx", 0o600)
  try {
    let looked = 0
    for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
      signal.throwIfAborted()
      if (length() - looked > lookEvery) {
        looked = length()
        await mustHaveRoom(folder, incoming)
      }
      await handle.writeFile(bytes)
    }
    signal.throwIfAborted()
    if (incoming.synced) await handle.sync()
    await handle.close()
    await rename(part, path)
  } catch (cause) {
    await handle.close().catch(() => {})
    await rm(part, { force: true })
    throw cause
  }
  if (incoming.synced) await syncFolder(folder)
  return length()
}

/** Makes the file's name durable. */
const syncFolder = async (path: string) => {
  const folder = await open(path, "r")
  await folder.sync().finally(() => folder.close())
}

const mustHaveRoom = async (folder: string, { freeBytes }: Incoming): Promise<void> => {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < freeBytes) {
    throw new NotKept({ why: "no-room", message: `less than ${freeBytes} bytes of the disk are free` })
  }
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, FilesUnavailable> =>
  Effect.tryPromise({ try: run, catch: unavailable })

const unavailable = (cause: unknown) => new FilesUnavailable({ message: String(cause) })

const unlessMissing = <A>(call: Promise<A>): Promise<A | undefined> =>
  call.catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) {
      return undefined
    }
    throw cause
  })
