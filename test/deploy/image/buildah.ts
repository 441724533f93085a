import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { Schema } from "effect"

const root = resolve(import.meta.dirname, "../../..")

/** What builds images without a daemon, and root file systems of Debian's packages. */
const programs = ["buildah", "mmdebstrap", "unshare", "chroot"]

/** Why images can't be built here; undefined where they can. */
export const withoutImages = (): string | undefined => {
  const missing = programs.filter((name) => Bun.which(name) === null)
  if (missing.length > 0) return `it needs ${missing.join(", ")} (Debian's packages buildah and mmdebstrap)`
  if (process.getuid?.() !== 0) return "it needs root: for a root file system, and to be other users in it"
  const mayMount = Bun.spawnSync(["unshare", "--mount", "true"]).exitCode === 0
  return mayMount ? undefined : "this container may not mount"
}

export const run = async (command: ReadonlyArray<string>): Promise<string> => {
  const child = Bun.spawn([...command], { stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${out.slice(-2_000)}${err.slice(-4_000)}`)
  return out.trim()
}

/** What an image says of itself, as containers are started by it. */
const Image = Schema.parseJson(
  Schema.Struct({
    Docker: Schema.Struct({
      config: Schema.Struct({
        User: Schema.String,
        Env: Schema.Array(Schema.String),
        Entrypoint: Schema.Array(Schema.String),
        Cmd: Schema.Array(Schema.String),
        WorkingDir: Schema.String,
        StopSignal: Schema.String,
        Labels: Schema.Record({ key: Schema.String, value: Schema.String }),
        Healthcheck: Schema.Struct({ Test: Schema.Array(Schema.String) })
      })
    })
  })
)

/** A root file system of Debian's packages, as an archive; undefined where they can't be had, which it says. */
export const debianFiles = async (folder: string): Promise<string | undefined> => {
  const tar = join(folder, "base.tar")
  const unneeded = ["doc", "man", "locale", "info"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
  const options = ["--quiet", "--variant=apt", "--include=ca-certificates,openssl", ...unneeded]
  try {
    await run(["mmdebstrap", ...options, "bookworm", tar])
    return tar
  } catch (error) {
    console.log(`SKIPPED: test/deploy/image, Debian's packages can't be had: ${String(error).slice(-300)}`)
    return undefined
  }
}

/**
 * Builds the Dockerfile on a root file system of Debian's packages, with this Bun in place of its image.
 *
 * @param debian the root file system
 * @returns where its files are, and what it says of itself
 */
export const buildImage = async (folder: string, debian: string) => {
  const places = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"]
  const buildah = (...args: ReadonlyArray<string>) => run(["buildah", ...places, ...args])
  const base = await buildah("from", "scratch")
  await buildah("add", base, debian, "/")
  await buildah("commit", "--quiet", base, "base")
  const bun = join(folder, "bun")
  copyFileSync(process.execPath, bun)
  await buildah("add", "--chmod", "755", base, bun, "/usr/local/bin/bun")
  await buildah("commit", "--quiet", "--rm", base, "builder")
  const authority = process.env["SSL_CERT_FILE"] ?? process.env["NODE_EXTRA_CA_CERTS"] ?? ""
  const secret = existsSync(authority) ? ["--secret", `id=authority,src=${authority}`] : []
  const given = ["BASE=base", "BUILDER=builder", "VERSION=1.2.3"].flatMap((one) => ["--build-arg", one])
  const isolated = ["--isolation", "chroot", "--format", "docker", "--pull-never"]
  await buildah("build", ...isolated, ...given, ...secret, "--tag", "gateway", root)
  const container = await buildah("from", "--pull-never", "gateway")
  const files = await buildah("mount", container)
  const { config } = Schema.decodeUnknownSync(Image)(await buildah("inspect", "--type", "image", "gateway")).Docker
  return { files, config }
}
export type BuiltImage = Awaited<ReturnType<typeof buildImage>>

/** `uid:gid` as a container has it that is told no group. */
export const userOf = (user: string) => (user.includes(":") ? user : `${user}:${user}`)

/**
 * What runs a command as a container does: as that user, on a read-only root with a `/tmp` of its own, with one volume.
 * It is one process, so that its signals are the gateway's.
 */
export const contained = (
  { config, files }: BuiltImage,
  {
    command,
    env,
    user,
    volume
  }: {
    readonly user: string
    readonly volume: string
    readonly env: Readonly<Record<string, string>>
    readonly command: ReadonlyArray<string>
  }
): ReadonlyArray<string> => {
  const inside = `${files}${config.WorkingDir}`
  mkdirSync(volume, { recursive: true })
  const mounts = [
    `mount --bind ${files} ${files}`,
    `mount -o remount,bind,ro ${files}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${files}/tmp`,
    `mount --bind ${volume} ${inside}`,
    `mount -t proc proc ${files}/proc`,
    `mount --rbind /dev ${files}/dev`
  ]
  const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  const start = `${mounts.join(" && ")} && exec chroot --userspec=${userOf(user)} ${files} /usr/bin/env -i -C ${config.WorkingDir} "$@"`
  return ["unshare", "--mount", "--propagation", "private", "sh", "-c", start, "sh", ...variables, ...command]
}
