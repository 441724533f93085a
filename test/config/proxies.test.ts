import { describe, expect, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import { proxiesOf, proxyIn, withProxies } from "../../src/config/proxies.ts"
import { BadSettings } from "../../src/config/document.ts"

const env = { HTTPS_PROXY: "http://user:pass@secure:3128", http_proxy: "plain:3128" }
const by = (given: Record<string, string>, url: string, setting?: Redacted.Redacted) =>
  Either.getOrThrow(proxiesOf(given, setting))(url)

describe("proxies of the environment", () => {
  it("are chosen by the address's scheme, in either case", () => {
    expect(by(env, "https://api.openai.com/v1")).toBe("http://user:pass@secure:3128")
    expect(by(env, "http://vllm.internal:8000/v1")).toBe("http://plain:3128")
    expect(by({ HTTP_PROXY: "http://a", http_proxy: "http://b" }, "http://c")).toBe("http://b")
    expect(by({}, "https://api.openai.com/v1")).toBeUndefined()
  })

  it.each([
    ["http://localhost:11434/v1", ""],
    ["http://127.8.0.1/v1", ""],
    ["http://[::1]:8080", ""],
    ["http://models.localhost", ""],
    ["https://api.openai.com/v1", "other.example.com, openai.com"],
    ["https://api.openai.com/v1", ".openai.com"],
    ["https://api.openai.com/v1", "*.openai.com"],
    ["https://api.openai.com/v1", "API.openai.com:443"],
    ["http://10.1.2.3:8000/v1", "10.0.0.0/8"],
    ["http://10.1.2.3:8000/v1", "10.1.2.3"],
    ["https://anything.example.com", "*"]
  ])("are not for %s with NO_PROXY=%s", (url, list) => {
    expect(by({ ...env, NO_PROXY: list }, url)).toBeUndefined()
  })

  it.each([
    ["https://notopenai.com", "openai.com"],
    ["https://api.openai.com", "api.openai.com:8443"],
    ["http://11.1.2.3", "10.0.0.0/8,10.0.0.0/99"]
  ])("are for %s with NO_PROXY=%s", (url, list) => {
    expect(by({ ...env, NO_PROXY: list }, url)).toBeDefined()
  })

  it("lose against the file's `proxy`, which NO_PROXY and loopback are exempt from too", () => {
    const house = Redacted.make("http://house:3128")
    expect(by(env, "https://api.openai.com", house)).toBe("http://house:3128")
    expect(by({ ...env, NO_PROXY: "openai.com" }, "https://api.openai.com", house)).toBeUndefined()
    expect(by(env, "http://127.0.0.1:8000", house)).toBeUndefined()
    expect(by(env, "https://api.openai.com", Redacted.make("off"))).toBeUndefined()
  })

  it("are refused, without being said, where the gateway can't speak to them", () => {
    expect(proxiesOf({ HTTPS_PROXY: "socks5://user:planted@proxy" }, undefined)).toEqual(
      Either.left(
        new BadSettings({
          message:
            "HTTPS_PROXY: expected http://<host>:<port> or https://…, which may hold a user and a password; `proxy: off` in gateway.yaml uses none"
        })
      )
    )
  })
})

it("upstreams and the search go by their own proxy, otherwise by the common one, loopback only by its own", () => {
  const upstream = (base_url: string, proxy?: Redacted.Redacted) => ({
    protocol: "openai-chat" as const,
    base_url,
    ...(proxy !== undefined && { proxy })
  })
  const { value } = withProxies(
    {
      value: {
        upstreams: {
          far: upstream("https://far.example.com/v1"),
          own: upstream("http://127.0.0.1:8000/v1", Redacted.make("http://own:3128")),
          off: upstream("https://far.example.com/v1", Redacted.make("off")),
          near: upstream("http://127.0.0.1:8000/v1")
        },
        search: { provider: "brave" }
      },
      complain: (_, rule) => new BadSettings({ message: rule })
    },
    Either.getOrThrow(proxiesOf(env, undefined))
  )
  const shown = Object.entries(value.upstreams ?? {}).map(([name, { proxy }]) => [name, proxyIn(proxy)])
  expect(Object.fromEntries(shown)).toEqual({
    far: "http://user:pass@secure:3128",
    own: "http://own:3128",
    off: undefined,
    near: undefined
  })
  expect(proxyIn(value.search?.proxy)).toBe("http://user:pass@secure:3128")
})
