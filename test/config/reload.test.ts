import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, vi } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Configuration } from "../../src/config/Configuration.ts"
import { ReloadLive } from "../../src/config/Reload.ts"
import { Settings } from "../../src/config/Settings.ts"
import { regularFiles, UnreadableFile } from "../../src/flow/RegularFiles.ts"

it.scopedLive("a change of gateway.yaml between its reading and readiness is taken over", () =>
  Effect.gen(function* () {
    const path = join(mkdtempSync(join(tmpdir(), "gateway-reload-")), "gateway.yaml")
    writeFileSync(path, "models: { first: sandbox }")
    const settings = yield* Layer.build(Settings.from({ GATEWAY_CONFIG: path }))
    writeFileSync(path, "models: { second: sandbox }")
    const configuration = yield* Layer.build(
      Layer.provideMerge(ReloadLive, Configuration.Default).pipe(Layer.provide(Layer.succeedContext(settings)))
    )
    const { current } = yield* Effect.provide(Configuration, configuration)
    expect(current().value.models).toEqual({ first: "sandbox" })
    yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => current().value.models?.["second"] !== undefined })
  })
)

it.scopedLive("a mounted ConfigMap is taken over when Kubernetes puts another folder in its place", () =>
  Effect.gen(function* () {
    const mount = mkdtempSync(join(tmpdir(), "gateway-reload-"))
    // As the kubelet lays it: files are links through `..data`, which it renames over the one before.
    const lay = (version: string, text: string) => {
      mkdirSync(join(mount, version))
      writeFileSync(join(mount, version, "gateway.yaml"), text)
      symlinkSync(version, join(mount, "..data_tmp"))
      renameSync(join(mount, "..data_tmp"), join(mount, "..data"))
    }
    lay("..2026_11_30", "models: { first: sandbox }")
    symlinkSync(join("..data", "gateway.yaml"), join(mount, "gateway.yaml"))
    const settings = yield* Layer.build(Settings.from({ GATEWAY_CONFIG: join(mount, "gateway.yaml") }))
    const configuration = yield* Layer.build(
      Layer.provideMerge(ReloadLive, Configuration.Default).pipe(Layer.provide(Layer.succeedContext(settings)))
    )
    const { current } = yield* Effect.provide(Configuration, configuration)
    expect(current().value.models).toEqual({ first: "sandbox" })
    lay("..2026_12_01", "models: { second: sandbox }")
    rmSync(join(mount, "..2026_11_30"), { recursive: true })
    yield* until(() => current().value.models?.["second"] !== undefined)
  })
)

/** A gateway's configuration that follows its files, with one upstream whose key is in the file `secret`. */
const following = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "gateway-reload-"))
  const [path, secret] = [join(folder, "gateway.yaml"), join(folder, "secret")]
  writeFileSync(secret, "sk-one")
  writeFileSync(
    path,
    `upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com/v1", api_key: { file: secret } } }`
  )
  const settings = yield* Layer.build(Settings.from({ GATEWAY_CONFIG: path }))
  const configuration = yield* Layer.build(
    Layer.provideMerge(ReloadLive, Configuration.Default).pipe(Layer.provide(Layer.succeedContext(settings)))
  )
  const { current, trouble } = yield* Effect.provide(Configuration, configuration)
  const key = () => Redacted.value(current().value.upstreams?.["a"]?.api_key ?? Redacted.make(""))
  return { secret, key, trouble }
})
const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep("20 millis"), { until: isSo })

it.scopedLive("a secret's file that becomes a FIFO leaves the secret as it was, says so, and is read again later", () =>
  Effect.gen(function* () {
    const { key, secret, trouble } = yield* following
    rmSync(secret)
    Bun.spawnSync(["mkfifo", secret])
    yield* until(() => trouble() !== undefined)
    expect(trouble()?.message).toContain("the file secret can't be read (it is not a regular file)")
    expect(key()).toBe("sk-one")
    rmSync(secret)
    writeFileSync(secret, "sk-two")
    yield* until(() => key() === "sk-two")
    expect(trouble()).toBeUndefined()
  })
)

it.scopedLive("a change is read again where its file did not answer while it was read", () =>
  Effect.gen(function* () {
    const { key, secret, trouble } = yield* following
    let refusals = 0
    const silent = new UnreadableFile({ path: secret, reason: "it does not answer", isSilent: true })
    vi.spyOn(regularFiles, "refusals", "get").mockImplementation(() => refusals)
    const read = vi.spyOn(regularFiles, "read").mockImplementation(() => {
      refusals++
      return Promise.reject(silent)
    })
    writeFileSync(secret, "sk-two")
    yield* until(() => trouble() !== undefined)
    expect(key()).toBe("sk-one")
    read.mockRestore()
    yield* until(() => key() === "sk-two")
    expect(trouble()).toBeUndefined()
  })
)

it.scopedLive("a change that keeps a file's size and time is one, as is that of who may read it", () =>
  Effect.gen(function* () {
    const { key, secret } = yield* following
    const { atime, mtime } = statSync(secret)
    writeFileSync(secret, "sk-two")
    utimesSync(secret, atime, mtime)
    yield* until(() => key() === "sk-two")
    const read = vi.spyOn(regularFiles, "read")
    chmodSync(secret, 0o600)
    yield* until(() => read.mock.calls.length > 0)
    read.mockRestore()
  })
)
