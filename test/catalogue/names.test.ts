import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { catalogueOf } from "../../src/catalogue/catalogueOf.ts"
import { starOf } from "../../src/catalogue/ModelMap.ts"
import { unlistedAliases } from "../../src/catalogue/modelWarnings.ts"
import { servedModels } from "../../src/catalogue/prices.ts"
import { BadSettings } from "../../src/config/document.ts"
import type { GatewayFile } from "../../src/config/GatewayFile.ts"

const upstreams = {
  anthropic: { protocol: "anthropic-messages", base_url: "https://api.anthropic.com" },
  openrouter: { protocol: "openai-chat", base_url: "https://openrouter.ai/api/v1" },
  vllm: { protocol: "openai-chat", base_url: "http://10.0.0.5:8000/v1" }
} as const satisfies GatewayFile["upstreams"]

const fileOf = (models: GatewayFile["models"]) => ({
  value: { upstreams, models } satisfies GatewayFile,
  complain: (_: unknown, message: string) => new BadSettings({ message })
})

const served = (models: GatewayFile["models"]) => Either.getOrThrow(catalogueOf(fileOf(models), []))
const wrong = (models: GatewayFile["models"]) =>
  Either.match(catalogueOf(fileOf(models), []), { onLeft: ({ message }) => message, onRight: () => "" })

describe("a wildcard", () => {
  const models = served({
    "claude-*": "anthropic",
    "openrouter/*": "openrouter",
    "team/*": { routes: [{ upstream: "vllm", model: "*-fp8" }], limits: { requests_per_minute: 5 } },
    "claude-sonnet-*": "openrouter",
    "claude-opus-5": { routes: [{ upstream: "vllm", model: "own" }] },
    "*": "vllm"
  })
  const route = (id: string) => {
    const model = models.get(id)
    return [model?.routes.map(({ model, upstream }) => `${upstream}/${model}`).join(), model?.id, model?.wildcard]
  }

  it.each([
    ["claude-haiku-5-5", "anthropic/claude-haiku-5-5", "claude-*"],
    ["openrouter/meta/llama-4", "openrouter/meta/llama-4", "openrouter/*"],
    ["team/qwen", "vllm/qwen-fp8", "team/*"],
    ["claude-sonnet-5", "openrouter/claude-sonnet-5", "claude-sonnet-*"],
    ["claude-opus-5", "vllm/own", undefined],
    ["anything", "vllm/anything", "*"],
    ["claude-", "vllm/claude-", "*"]
  ])("serves %s at %s", (id, place, wildcard) => {
    expect(route(id)).toEqual([place, id, wildcard])
  })

  it("is no model itself, and no id of more than 256 characters", () => {
    expect([...models.keys()]).toEqual(["claude-opus-5"])
    expect(models.wildcards.map(({ id }) => id)).toEqual(["claude-sonnet-*", "openrouter/*", "claude-*", "team/*", "*"])
    expect(models.get("a".repeat(257))).toBeUndefined()
  })

  it.each(["constructor", "__proto__", "toString"])("serves %s, which no upstream gave another name", async (id) => {
    const file = fileOf({ "vllm/*": "named" })
    const named = { ...upstreams.vllm, models: { real: "gpt-5" } }
    const value = { ...file.value, upstreams: { named } }
    const all = Either.getOrThrow(catalogueOf({ ...file, value }, []))
    const models = await Effect.runPromise(servedModels(all, { ...file, value }))
    expect(models.get(`vllm/${id}`)?.routes).toMatchObject([{ model: id }])
    expect(models.get(`vllm/${id}`)?.routes[0]).not.toHaveProperty("knownAs")
    expect(models.get("vllm/real")?.routes[0]).toHaveProperty("knownAs", "gpt-5")
  })

  it("is found by an id without its model being made", () => {
    const ids = ["claude-haiku-5-5", "claude-sonnet-5", "anything", "a".repeat(257)]
    expect(ids.map((id) => models.patternOf(id))).toEqual(["claude-*", "claude-sonnet-*", "*", undefined])
  })

  it("gives a model again as the same object, and forgets most of many", () => {
    const first = models.get("team/one")
    expect(models.get("team/one")).toBe(first)
    for (let index = 0; index < 5_000; index++) models.get(`team/${index}`)
    expect(models.get("team/one")).not.toBe(first)
  })

  it.effect("has the price of the model that is asked for", () =>
    Effect.gen(function* () {
      const file = fileOf({ "claude-*": "anthropic" })
      const all = yield* servedModels(yield* catalogueOf(file, []), file)
      const [first] = all.get("claude-haiku-5-5")?.routes ?? []
      expect(first?.pricedBy).toMatchObject({ from: "built-in list", name: "anthropic/claude-haiku-5-5" })
    })
  )

  it.each([
    [{ "a*b*": "vllm" }, 'models: "a*b*" has more than one *'],
    [{ "a*": "nowhere" }, 'models.a*: no upstream "nowhere"; there are sandbox, anthropic, openrouter, vllm'],
    [{ "a*": { alias: "b" }, b: "vllm" }, "models.a*.alias: a wildcard can't be an alias"]
  ] satisfies ReadonlyArray<readonly [GatewayFile["models"], string]>)("%j is refused", (given, message) => {
    expect(wrong(given)).toBe(message)
  })

  it.each([
    ["a*c", "abc", "b"],
    ["a*c", "ac", undefined],
    ["aa*aa", "aaa", undefined],
    ["*", "x", "x"]
  ])("%s has in %s the %s", (pattern, id, star) => {
    expect(starOf(pattern, id)).toBe(star)
  })
})

describe("an alias", () => {
  it("is its target under another name, by way of others too, and of a wildcard's models", () => {
    const models = served({
      fast: { alias: "faster" },
      faster: { alias: "house" },
      house: { routes: [{ upstream: "vllm", model: "own" }], price: { input: 1 }, strict: true },
      best: { alias: "claude-opus-5" },
      "claude-*": "anthropic"
    })
    expect(models.get("fast")).toEqual({ ...models.get("house"), id: "fast", aliasOf: "house" })
    expect(models.get("best")).toMatchObject({ id: "best", aliasOf: "claude-opus-5", wildcard: "claude-*" })
  })

  it("of a model that an upstream may list is served once it is listed: the gateway starts while the upstream is down", () => {
    const { value, complain } = fileOf({ fast: { alias: "listed" }, house: "vllm" })
    const listing = { ...value.upstreams.vllm, list_models: true }
    const file = { complain, value: { ...value, upstreams: { ...value.upstreams, vllm: listing } } }
    const known = (ids: ReadonlyArray<string>) => [
      ...Either.getOrThrow(catalogueOf(file, [], new Map([["vllm", new Map(ids.map((id) => [id, {}]))]]))).keys()
    ]
    expect(known([])).toEqual(["house"])
    expect(known(["listed"])).toEqual(["house", "listed", "fast"])
    expect(unlistedAliases(file.value, known([]))).toEqual(['models: "fast" is not served: no upstream lists "listed"'])
    expect(unlistedAliases(file.value, known(["listed"]))).toEqual([])
  })

  it.effect("writes as much output as its target", () =>
    Effect.gen(function* () {
      const own = { routes: [{ upstream: "anthropic" }] as const, max_output_tokens: 200_000 }
      const file = fileOf({ fast: { alias: "claude-opus-5" }, "claude-opus-5": own })
      const all = yield* servedModels(yield* catalogueOf(file, []), file)
      const limits = ["fast", "claude-opus-5"].map((id) => all.get(id)?.routes[0]?.outputLimit)
      expect(limits).toEqual([200_000, 200_000])
    })
  )

  it.each([
    [{ a: { alias: "b" }, b: { alias: "a" } }, 'models.a.alias: it leads back to "a"'],
    [{ a: { alias: "a" } }, 'models.a.alias: it leads back to "a"'],
    [{ a: { alias: "b" } }, 'models.a.alias: there is no model "b"']
  ] satisfies ReadonlyArray<readonly [GatewayFile["models"], string]>)("%j is refused", (given, message) => {
    expect(wrong(given)).toBe(message)
  })
})
