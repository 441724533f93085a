import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { BadSettings } from "../../src/config/document.ts"
import { Settings } from "../../src/config/Settings.ts"
import { protocolOf } from "../../src/upstreams/protocols.ts"
import { surfaceOf } from "../../src/config/providers/surfaces.ts"
import { soundEntry } from "../../src/upstreams/configured/soundEntry.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-config-"))

afterAll(() => rmSync(folder, { recursive: true }))

let files = 0

const settings = (yaml: string | undefined, env: Record<string, string> = {}) => {
  const path = join(folder, `${files++}.yaml`)
  if (yaml !== undefined) writeFileSync(path, yaml)
  return Effect.runPromiseExit(
    Effect.scoped(
      Effect.flatMap(
        Layer.build(Settings.from(yaml === undefined ? env : { ...env, GATEWAY_CONFIG: path })),
        (context) => Effect.provide(Settings, context)
      )
    )
  )
}

const good = async (yaml: string | undefined, env?: Record<string, string>) => {
  const exit = await settings(yaml, env)
  if (exit._tag === "Failure") throw new Error(String(exit.cause))
  return exit.value
}

describe("without a file", () => {
  const places = async (env: Record<string, string>) => {
    const { models = {}, upstreams = {} } = (await good(undefined, env)).file.value
    return {
      upstreams: Object.entries(upstreams).map(([name, entry]) => {
        const { base_url, protocol } = Either.getOrThrow(surfaceOf(entry))
        return `${name} ${protocol} ${base_url}${entry.list_models === true ? " lists" : ""}`
      }),
      models: (name: string) => Object.entries(models).flatMap(([id, upstream]) => (upstream === name ? [id] : []))
    }
  }

  it("there is the sandbox alone", async () => {
    expect((await places({})).upstreams).toEqual([])
    expect((await places({ OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" })).upstreams).toEqual([])
  })

  it("providers whose keys are in the environment serve the models they are known for", async () => {
    const found = await places({ ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", ARK_API_KEY: "c" })
    expect(found.upstreams).toEqual([
      "anthropic anthropic-messages https://api.anthropic.com",
      "openai openai-responses https://api.openai.com/v1",
      "ark openai-chat https://ark.cn-beijing.volces.com/api/v3"
    ])
    expect(found.models("anthropic")).toContain("claude-sonnet-4-5")
    expect(found.models("openai")).toContain("gpt-5.1")
    expect(found.models("ark")).toContain("doubao-seedance-1-0-pro-250528")
    expect(found.models("openai")).toContain("openai/*")
  })

  it("a key to models alone opens its provider, and the log names what it opened", async () => {
    const found = (await good(undefined, { GROQ_API_KEY: "a", DASHSCOPE_API_KEY: "b", GEMINI_API_KEY: "c" })).file
    expect(Object.keys(found.value.upstreams ?? {})).toEqual(["gemini", "groq", "qwen"])
    expect(found.opened).toEqual([
      "GEMINI_API_KEY opens gemini: the models that it lists",
      "GROQ_API_KEY opens groq: the models that it lists",
      "DASHSCOPE_API_KEY opens qwen: 4 models"
    ])
    expect(found.value.models?.["groq/*"]).toBe("groq")
  })

  it("a key that no header carries is refused by its variable's name, and is not shown", async () => {
    const exit = String(await settings(undefined, { OPENAI_API_KEY: "sk-planted\nx-admin: 1" }))
    expect(exit).toContain("OPENAI_API_KEY: expected at most 32768 printable ASCII characters")
    expect(exit).not.toContain("planted")
  })

  it("variables that may open more than models open nothing", async () => {
    const env = {
      GITHUB_TOKEN: "a",
      HF_TOKEN: "b",
      AWS_BEARER_TOKEN_BEDROCK: "c",
      AWS_ACCESS_KEY_ID: "d",
      GOOGLE_API_KEY: "e",
      AZURE_OPENAI_API_KEY: "f",
      AZURE_FOUNDRY_API_KEY: "g"
    }
    expect(await places(env)).toMatchObject({ upstreams: [] })
    expect((await good(undefined, env)).file.opened).toEqual([])
  })

  it("a self-hosted server is asked what it serves", async () => {
    const env = { OPENAI_API_KEY: "b", OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" }
    expect((await places(env)).upstreams).toEqual(["openai openai-chat http://127.0.0.1:8000/v1 lists"])
    expect((await good(undefined, env)).file.value.upstreams?.["openai"]?.list_models).toBe(true)
  })
})

describe("an upstream", () => {
  const upstream = async (fields: string) => {
    const { file } = await good(`upstreams:\n  a:\n    base_url: http://127.0.0.1:1\n${fields}`)
    const place = Either.flatMap(
      Either.fromNullable(file.value.upstreams?.["a"], () => new BadSettings({ message: "" })),
      (entry) => soundEntry(file, "a", entry)
    )
    return Either.match(place, {
      onLeft: ({ message }) => message.replace(/^.*\/\d+\.yaml/, "gateway.yaml"),
      onRight: ([usual]) => protocolOf(usual?.protocol ?? "openai-chat").kind
    })
  }

  it.each([
    ["    protocol: openai-chat\n    provider: vllm", "text"],
    ["    protocol: ark-video\n    headers: { x-team: a }", "video"],
    [
      "    protocol: openai-chat\n    provider: vlm",
      'gateway.yaml:5: upstreams.a.provider: no provider "vlm", `gateway providers` lists them; is vllm meant?'
    ],
    ["    protocol: openai-responses\n    provider: dashscope", "text"],
    ["    protocol: anthropic-messages\n    threads: true", "text"],
    [
      "    protocol: openai-chat\n    threads: true",
      "gateway.yaml:5: upstreams.a.threads: is for anthropic-messages alone"
    ],
    ["    protocol: anthropic-messages\n    cache: auto", "text"],
    [
      "    protocol: openai-responses\n    cache: auto",
      "gateway.yaml:5: upstreams.a.cache: is for anthropic-messages alone"
    ],
    ["    protocol: openai-chat\n    think_tags: true", "text"],
    [
      "    protocol: anthropic-messages\n    think_tags: true",
      "gateway.yaml:5: upstreams.a.think_tags: is for openai-chat alone"
    ],
    [
      "    protocol: ark-video\n    max_concurrency: 3",
      "gateway.yaml:5: upstreams.a.max_concurrency: is for upstreams of text models"
    ]
  ])("%s: %s", async (fields, outcome) => {
    expect(await upstream(fields)).toContain(outcome)
  })
})
