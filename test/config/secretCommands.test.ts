import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { Effect, Fiber, Redacted, TestClock } from "effect"
import { makeCommandsPass } from "../../src/config/makeCommandsPass.ts"
import type { Commands } from "../../src/config/SecretFiles.ts"
import { Settings } from "../../src/config/Settings.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-commands-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A program that notes each run. */
const program = (name: string, body: string) => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho run >>'${folder}/${name}.runs'\n${body}\n`)
  chmodSync(path, 0o700)
  return path
}
const runsOf = (name: string) => {
  const path = join(folder, `${name}.runs`)
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0
}
/** A zombie has ended. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}
const upstream = (key: string, more = "") =>
  `upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com/v1", api_key: ${key} } }\n${more}`
const settings = (yaml: string, needsSecrets = true, commands?: Commands) => {
  writeFileSync(join(folder, "gateway.yaml"), yaml)
  return Effect.provide(
    Settings,
    Settings.from({ GATEWAY_CONFIG: join(folder, "gateway.yaml") }, needsSecrets, commands)
  )
}
const keyOf = ({ file }: Effect.Effect.Success<ReturnType<typeof settings>>) => {
  const key = file.value.upstreams?.["a"]?.api_key
  return key === undefined ? undefined : Redacted.value(key)
}

const quiet = { changed: [], failure: undefined }

describe("secrets that commands print", () => {
  it.effect("stand wherever a secret does, and no shell reads the arguments", () =>
    Effect.gen(function* () {
      const vault = program("vault", 'printf "%s\\n\\n" "$1"')
      const read = yield* settings(
        upstream(
          `{ command: [${vault}, "sk-$(id); $HOME"] }`,
          `keys: [{ name: ci, secret: { command: [./vault, "${"k".repeat(24)}"] } }]`
        )
      )
      expect(keyOf(read)).toBe("sk-$(id); $HOME")
      expect(read.file.value.keys?.map(({ secret }) => Redacted.value(secret))).toEqual(["k".repeat(24)])
      const several = `upstreams: { a: { protocol: openai-chat, base_url: "https://a.example.com/v1", keys: [{ command: [${vault}, one] }, { key: { command: [${vault}, two], refresh_seconds: 60 }, weight: 2 }] } }`
      const keys = (yield* settings(several)).file.value.upstreams?.["a"]?.keys ?? []
      expect(keys.map((key) => Redacted.value("key" in key ? key.key : key))).toEqual(["one", "two"])
    })
  )

  it.effect("run once a reading, without the gateway's own secrets", () =>
    Effect.gen(function* () {
      process.env["GATEWAY_SECRET"] = "of the gateway"
      const vault = program("vault", 'echo "sk-${GATEWAY_SECRET:-none}-$PATH" | cut -c 1-7')
      const yaml = upstream(`{ command: [${vault}] }`, `search: { provider: brave, api_key: { command: [${vault}] } }`)
      const read = yield* settings(yaml)
      expect(keyOf(read)).toBe("sk-none")
      expect(runsOf("vault")).toBe(1)
      yield* read.reread
      expect(runsOf("vault")).toBe(2)
    }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["GATEWAY_SECRET"])))
  )

  it.effect("fail with their program's name and line, without its arguments and words", () =>
    Effect.gen(function* () {
      const wrong = (body: string) =>
        Effect.map(
          Effect.flip(settings(upstream(`{ command: [${program("vault", body)}, "--token=hunter2"] }`))),
          ({ message }) => {
            expect(message).not.toContain("hunter2")
            expect(message).not.toContain("sesame")
            return message.replaceAll(`${folder}/`, "")
          }
        )
      const at = "gateway.yaml:1: upstreams.a.api_key: the command vault"
      expect(yield* wrong("echo sesame; echo sesame >&2; exit 3")).toBe(`${at} ended with exit code 3`)
      expect(yield* wrong("true")).toBe(`${at} printed nothing`)
      expect(yield* wrong("kill -9 $$")).toBe(`${at} ended with SIGKILL`)
      expect(yield* wrong("head -c 70000 /dev/zero | tr '\\0' x")).toBe(`${at} printed more than 65536 bytes`)
      expect(yield* wrong("printf 'sesame\\nsesame'")).toMatch(
        /^gateway.yaml:1: .*the command vault prints something else/
      )
      expect((yield* Effect.flip(settings(upstream('{ command: ["/nowhere/vault"] }')))).message).toContain(
        "the command /nowhere/vault can't be started"
      )
    })
  )

  it.effect("are killed with what they have started, when they take too long", () =>
    Effect.gen(function* () {
      const vault = program("vault", `sleep 300 & echo $! >'${folder}/child'; wait`)
      const reading = yield* Effect.fork(Effect.flip(settings(upstream(`{ command: [${vault}] }`))))
      const child = yield* Effect.promise(() =>
        vi.waitUntil(() => existsSync(join(folder, "child")) && Number(readFileSync(join(folder, "child"), "utf8")))
      )
      expect(isAlive(child)).toBe(true)
      yield* TestClock.adjust("30 seconds")
      expect((yield* Fiber.join(reading)).message).toContain("did not end within 30 s")
      yield* Effect.promise(() => vi.waitUntil(() => !isAlive(child)))
    })
  )

  it.live("are not run by a check, nor, for upstreams, by commands that ask none", () =>
    Effect.gen(function* () {
      const vault = program("vault", "echo sqlite:own.db")
      const yaml = upstream(`{ command: [${vault}, key] }`, `database: { url: { command: [${vault}, database] } }`)
      yield* settings(yaml, true, "skip")
      expect(runsOf("vault")).toBe(0)
      const read = yield* settings(yaml, false)
      expect(Redacted.value(read.databaseUrl)).toBe("sqlite:own.db")
      expect(runsOf("vault")).toBe(1)
    })
  )

  it.effect("are refused in a document that is no file of this node", () =>
    Effect.gen(function* () {
      const vault = program("vault", "echo secret")
      const read = yield* settings("{}")
      const { message } = yield* Effect.flip(read.readText("configuration", upstream(`{ command: [${vault}] }`)))
      expect(message).toContain("a command is run only if a node's own gateway.yaml names it")
      expect(runsOf("vault")).toBe(0)
    })
  )

  it.effect("run again by age; one that fails keeps what it printed", () =>
    Effect.gen(function* () {
      const vault = program("vault", `cat '${folder}/secret'`)
      writeFileSync(join(folder, "secret"), "sk-one")
      const read = yield* settings(upstream(`{ command: [${vault}], refresh_seconds: 10 }`))
      const pass = yield* makeCommandsPass(() => read.file.printed ?? new Map())
      expect(yield* pass).toEqual(quiet)
      expect(runsOf("vault")).toBe(1)
      yield* TestClock.adjust("10 seconds")
      expect(yield* pass).toEqual(quiet)
      expect(runsOf("vault")).toBe(2)
      expect(yield* pass).toEqual(quiet)
      expect(runsOf("vault")).toBe(2)
      rmSync(join(folder, "secret"))
      yield* TestClock.adjust("10 seconds")
      const failure = `the command ${vault} ended with exit code 1: the secret that it printed before stays in effect`
      expect(yield* pass).toEqual({ changed: [], failure })
      // It is not due again, and fails on.
      expect(yield* pass).toEqual({ changed: [], failure })
      writeFileSync(join(folder, "secret"), "sk-two")
      yield* TestClock.adjust("10 seconds")
      expect(yield* pass).toEqual({ changed: [vault], failure: undefined })
      expect(keyOf({ ...read, file: yield* read.reread })).toBe("sk-two")
    })
  )
})
