import { access, constants, mkdtemp, rm, stat, statfs, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Redacted } from "effect"
import type { GatewaySettings } from "../../config/Settings.ts"
import { makeBucket } from "../../files/Bucket.ts"
import { usualRoom } from "../../files/KeptFiles.ts"
import { sourceBy } from "../../upstreams/auth/sourceBy.ts"
import { ok, problem, settingOf, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

/** The bucket that files are kept in, if there is one. */
export const bucketFindings = (settings: GatewaySettings) =>
  Effect.gen(function* () {
    const { files: place, proxyOf } = settings
    if (place.kind !== "bucket") return []
    const { files, refusal } = yield* makeBucket(place, yield* sourceBy(proxyOf))
    const refused = yield* refusal
    if (refused !== undefined) {
      return [problem("bucket", `${files.place}: ${refused}`, `Check ${bucketSettings(settings)}.`)]
    }
    return yield* Effect.match(files.find("doctor/probe"), {
      onSuccess: () => [ok("bucket", `${files.place} answers`)],
      onFailure: ({ message }) => [problem("bucket", message, `Check ${bucketSettings(settings)}.`)]
    })
  })

export const bucketSettings = (settings: GatewaySettings): string =>
  [
    settingOf(settings, "files.at", "GATEWAY_FILES"),
    settingOf(settings, "files.endpoint", "GATEWAY_FILES_ENDPOINT"),
    settingOf(settings, "files.region", "GATEWAY_FILES_REGION"),
    settingOf(settings, "files.access_key_id", "GATEWAY_FILES_ACCESS_KEY_ID"),
    settingOf(settings, "files.secret_access_key", "GATEWAY_FILES_SECRET_ACCESS_KEY")
  ].join(", ")

/** The folders that the gateway writes to: may it, and is there room? */
export const diskFindings = (settings: GatewaySettings) => {
  const { dataDirectory, files, room } = settings
  const least = room.freeBytes ?? usualRoom.freeBytes
  const data = settingOf(settings, "GATEWAY_DATA_DIRECTORY", "GATEWAY_DATA_DIRECTORY")
  const [, file] = /^sqlite:(?!:memory:)(.+)$/s.exec(Redacted.value(settings.databaseUrl)) ?? []
  const beside = file === undefined ? undefined : dirname(file)
  const folders = [
    { name: "data directory", path: dataDirectory, setting: data },
    ...(beside === undefined || resolve(beside) === resolve(dataDirectory)
      ? []
      : [
          {
            name: "database folder",
            path: beside,
            setting: settingOf(settings, "database.url", "GATEWAY_DATABASE_URL")
          }
        ]),
    ...(files.kind === "folder"
      ? [{ name: "files", path: files.path, setting: settingOf(settings, "files.at", "GATEWAY_FILES") }]
      : [])
  ]
  return Effect.forEach(folders, (folder) => folderFinding(folder, least))
}

interface Folder {
  readonly name: string
  readonly path: string
  readonly setting: string
}

const folderFinding = ({ name, path, setting }: Folder, least: number): Effect.Effect<Finding> =>
  Effect.tryPromise(async () => {
    const at = await nearest(resolve(path))
    await writable(at, at === resolve(path))
    const { bavail, blocks, bsize } = await statfs(at)
    return { free: bavail * bsize, share: bavail / blocks, owner: (await stat(at)).uid }
  }).pipe(
    Effect.match({
      onFailure: ({ error }) => {
        const code = error instanceof Error && "code" in error ? String(error.code) : ""
        return code === "ENOSPC"
          ? problem(name, `${path}: the disk is full`, `Free the disk, or set ${setting} to a folder of another.`)
          : problem(
              name,
              `${path} can't be written to${code === "" ? "" : ` (${code})`}`,
              `This is uid ${process.getuid?.() ?? "?"}: run it as the gateway's user; if it is, give it the folder, or set ${setting} to another.`
            )
      },
      onSuccess: ({ free, owner, share }) => {
        const message = `${path} can be written to; ${shown(free)} are free`
        const remedy = `Free the disk, set ${setting} to a folder of another, or shorten retention.`
        if (free < least) return problem(name, `${message}, less than the ${shown(least)} of files.free_bytes`, remedy)
        // Root may write everywhere.
        if (process.getuid?.() === 0 && owner !== 0) {
          return warning(
            name,
            `${message}, by root; it is uid ${owner}'s`,
            "Run it as the gateway's user to check its rights."
          )
        }
        return share < 0.05 ? warning(name, `${message} (${(share * 100).toFixed(1)} %)`, remedy) : ok(name, message)
      }
    })
  )

/** The folder, or the nearest one above it that exists. */
const nearest = (path: string): Promise<string> =>
  access(path).then(
    () => path,
    (cause: unknown) => {
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
      if (!isMissing || dirname(path) === path) throw cause
      return nearest(dirname(path))
    }
  )

/** The folder itself is written to; of one above it only the rights are looked at. */
const writable = async (path: string, isItself: boolean): Promise<void> => {
  if (!isItself) return access(path, constants.W_OK)
  const probe = await mkdtemp(join(path, ".doctor-"))
  try {
    await writeFile(join(probe, "probe"), Buffer.alloc(4_096))
  } finally {
    await rm(probe, { recursive: true, force: true })
  }
}

const shown = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`
