import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import type { GatewayFile } from "../../src/config/GatewayFile.ts"
import { wrongBaseUrl } from "../../src/config/baseUrl.ts"
import { environmentWarnings, isInjected } from "../../src/config/warnings.ts"
import { modelWarnings } from "../../src/catalogue/modelWarnings.ts"

const known = new Set(["GATEWAY_PORT", "GATEWAY_ADMIN_KEY", "GATEWAY_REDIS_URL"])

describe("variables of the environment that are hardly meant", () => {
  it("are named, with the one that was meant where that is plain", () => {
    expect(environmentWarnings({ GATEWAY_PROT: "1", GATEWAY_COLOUR: "red", GATEWAY_PORT: "80" }, known)).toEqual([
      "GATEWAY_PROT: the gateway knows no such variable; is GATEWAY_PORT meant?",
      "GATEWAY_COLOUR: the gateway knows no such variable"
    ])
  })

  it("are not a client's, nor what a container platform sets for a service named gateway", () => {
    const env = {
      GATEWAY_KEY: "gw_x",
      GATEWAY_URL: "http://127.0.0.1",
      GATEWAY_PORT: "tcp://10.0.0.1:80",
      GATEWAY_PORT_80_TCP: "tcp://10.0.0.1:80",
      GATEWAY_PORT_80_TCP_ADDR: "10.0.0.1",
      GATEWAY_SERVICE_HOST: "10.0.0.1",
      GATEWAY_SERVICE_PORT_HTTP: "80"
    }
    expect(environmentWarnings(env, known)).toEqual([])
    expect([isInjected("GATEWAY_PORT", "tcp://10.0.0.1:80"), isInjected("GATEWAY_PORT", "8080")]).toEqual([true, false])
  })

  it("say that a stray REDIS_URL is not used", () => {
    expect(environmentWarnings({ REDIS_URL: "redis://x" }, known)).toEqual([
      "REDIS_URL is not used: limits are counted in Redis where GATEWAY_REDIS_URL says so"
    ])
    expect(environmentWarnings({ REDIS_URL: "redis://x", GATEWAY_REDIS_URL: "redis://y" }, known)).toEqual([])
  })
})

describe("models and keys that are hardly meant", () => {
  it("are patterns of keys that match neither a model nor a wildcard", () => {
    const file: GatewayFile = {
      models: { "claude-*": "anthropic" },
      keys: [{ name: "ci", secret: Redacted.make("secret"), models: ["gpt-*", "claude-*", "claude-opus-5", "*"] }]
    }
    expect(modelWarnings(file, ["claude-*", "sandbox-text"])).toEqual([
      'keys: "ci" may use "gpt-*", which no model matches'
    ])
  })
})

describe("a base URL", () => {
  it.each([
    ["https://api.example.com/v1", undefined],
    ["http://127.0.0.1:8000", undefined],
    ["https://api.example.com/v1/chat/completions", '"/chat/completions"'],
    ["https://api.example.com/v1/messages/", '"/messages"'],
    ["https://api.example.com/v1/chat/completions?api-version=1", "leave"],
    ["https://api.example.com/v1#part", "without a fragment"],
    ["ftp://x", "http:// or https://"],
    ["nonsense", "http:// or https://"]
  ])("%s: %s", (text, said) => {
    const wrong = wrongBaseUrl(text)
    if (said === undefined) expect(wrong).toBeUndefined()
    else expect(wrong).toContain(said)
  })
})
