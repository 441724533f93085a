import { createHmac } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"
import { Settings } from "../../src/config/Settings.ts"
import { KeptFiles } from "../../src/files/KeptFiles.ts"
import { KeptFilesLive, shipped } from "../../src/Parts.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "kept-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** As a start finds them in a data directory. */
const started = <A>(
  directory: string,
  use: (kept: (typeof KeptFiles)["Service"]) => Effect.Effect<A, unknown>,
  secret: Record<string, string> = {}
) =>
  Effect.flatMap(KeptFiles, use).pipe(
    Effect.provide(
      Layer.fresh(KeptFilesLive).pipe(
        Layer.provide(Layer.fresh(Layer.merge(shipped.files, shipped.secret))),
        Layer.provide(Settings.from({ GATEWAY_DATABASE_URL: `sqlite:${join(directory, "gateway.db")}`, ...secret }))
      )
    )
  )

const idIn = (directory: string, secret?: Record<string, string>) =>
  started(directory, (kept) => Effect.sync(() => kept.idOf("sora", "video_1")), secret)

it.scoped("ids are derived from the master secret: the same after a restart, others with another secret", () =>
  Effect.gen(function* () {
    const [one, other] = [yield* folder, yield* folder]
    const id = yield* idIn(one)
    expect(yield* idIn(one)).toBe(id)
    expect(yield* idIn(other)).not.toBe(id)
    const given = { GATEWAY_SECRET: "a secret of thirty-two characters" }
    expect(yield* idIn(one, given)).toBe(yield* idIn(other, given))
    expect(existsSync(join(one, "kept.key"))).toBe(false)
  })
)

it.scoped("ids and links of an older gateway, which had a secret in kept.key, go on", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    const key = Buffer.alloc(32, 7)
    writeFileSync(join(directory, "kept.key"), key, { mode: 0o600 })
    const id = createHmac("sha256", key)
      .update(JSON.stringify(["sora", "video_1"]))
      .digest("hex")
    mkdirSync(join(directory, "kept", id), { recursive: true })
    writeFileSync(join(directory, "kept", id, "video.mp4"), "x")
    yield* TestClock.setTime(Date.now())
    expect(yield* idIn(directory)).toBe(id)
    expect(Option.isSome(yield* started(directory, (kept) => kept.file(id, "video.mp4")))).toBe(true)
  })
)

it.scoped("what is kept is for its owner alone, and so is an older gateway's key", () =>
  Effect.gen(function* () {
    const before = process.umask(0o022)
    yield* Effect.addFinalizer(() => Effect.sync(() => process.umask(before)))
    const directory = yield* folder
    const key = join(directory, "kept.key")
    writeFileSync(key, Buffer.alloc(32, 7))
    chmodSync(key, 0o644)
    const id = "a".repeat(64)
    const clip = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from("ftypmp42"), Buffer.alloc(64)])
    const pieces = [clip]
    yield* started(directory, (kept) => kept.keep(id, "video.mp4", () => Promise.resolve(pieces.shift())))
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect(modeOf(key)).toBe(0o600)
    expect(modeOf(join(directory, "kept", id))).toBe(0o700)
    expect(modeOf(join(directory, "kept", id, "video.mp4"))).toBe(0o600)
  })
)

it.scoped("a kept.key that was cut off is none", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    const id = yield* idIn(directory)
    writeFileSync(join(directory, "kept.key"), "cut")
    expect(yield* idIn(directory)).toBe(id)
  })
)
