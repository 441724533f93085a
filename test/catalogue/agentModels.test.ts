import { describe, expect, it } from "@effect/vitest"
import { withAgentModels } from "../../src/catalogue/agentModels.ts"
import { modelWarnings } from "../../src/catalogue/modelWarnings.ts"
import type { GatewayFile } from "../../src/config/GatewayFile.ts"

const none = {}

describe("the models that Claude Code is told after its sign-in", () => {
  const told = (usable: ReadonlyArray<string>, settings: object = none, own: ReadonlyArray<string> = usable) => {
    const told = withAgentModels(settings, usable, (id) => own.includes(id))
    return told === settings ? "nothing" : told
  }
  const env = (opus: string, sonnet: string, haiku: string) => ({
    env: {
      ANTHROPIC_DEFAULT_OPUS_MODEL: opus,
      ANTHROPIC_DEFAULT_SONNET_MODEL: sonnet,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: haiku
    }
  })

  it("are the newest of each family", () => {
    const usable = [
      "claude-opus-4-5-20251101",
      "claude-opus-5",
      "claude-opus-4-8",
      "claude-haiku-4-5",
      "claude-sonnet-5"
    ]
    expect(told(usable)).toEqual(env("claude-opus-5", "claude-sonnet-5", "claude-haiku-4-5"))
  })

  it("are of another family where one is missing, else the first model", () => {
    const sonnet = "us.anthropic.claude-sonnet-4-5"
    expect(told(["gpt-5.5", sonnet])).toEqual(env(sonnet, sonnet, sonnet))
    expect(told(["qwen3-32b", "sandbox-text"])).toEqual(env("qwen3-32b", "qwen3-32b", "qwen3-32b"))
    expect(told([])).toBe("nothing")
  })

  it("are not told where the client's own are there, a wildcard's too, or where the settings name them", () => {
    const own = ["claude-opus-4-7", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"]
    expect(told(own)).toBe("nothing")
    expect(told(["other"], none, own)).toBe("nothing")
    expect(told(["other"], none, own.slice(0, 2))).toEqual({ env: { ANTHROPIC_DEFAULT_HAIKU_MODEL: "other" } })
    const settings = { permissions: {}, env: { A: "1", ANTHROPIC_DEFAULT_OPUS_MODEL: "mine" } }
    expect(told(["other"], settings)).toEqual({
      permissions: {},
      env: { ...env("mine", "other", "other").env, A: "1" }
    })
  })
})

describe("warnings about them", () => {
  const provider = { issuer: "https://login.corp.test", client_id: "g", client_secret: "s" }
  const warned = (
    served: ReadonlyArray<string>,
    managed_settings?: object,
    oidc: ReadonlyArray<unknown> = [provider]
  ) => modelWarnings({ sign_in: { oidc, managed_settings } } as unknown as GatewayFile, served)

  it("name the client's own that no model matches, where nothing names others", () => {
    expect(warned(["qwen3-32b"])).toEqual([
      expect.stringContaining('Claude Code asks for "claude-opus-4-7" after /login'),
      expect.stringContaining('Claude Code asks for "claude-haiku-4-5-20251001" after /login')
    ])
    expect(warned(["claude-*"])).toEqual([])
    const env = { ANTHROPIC_DEFAULT_OPUS_MODEL: "qwen3-32b", ANTHROPIC_DEFAULT_HAIKU_MODEL: "qwen3-32b[1m]" }
    expect(warned(["qwen3-32b"], { env, model: "opus" })).toEqual([])
    expect(modelWarnings({}, ["qwen3-32b"])).toEqual([])
  })

  it("name the settings' that no model matches", () => {
    const settings = { model: "gone", env: { ANTHROPIC_SMALL_FAST_MODEL: "lost", ANTHROPIC_LOG: "debug" } }
    expect(warned(["claude-*"], settings)).toEqual([
      'sign_in.managed_settings.model is "gone", which no model matches',
      'sign_in.managed_settings.env.ANTHROPIC_SMALL_FAST_MODEL is "lost", which no model matches'
    ])
  })
})
