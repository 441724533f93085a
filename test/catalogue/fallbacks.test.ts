import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { catalogueOf } from "../../src/catalogue/catalogueOf.ts"
import { BadSettings } from "../../src/config/document.ts"
import type { GatewayFile } from "../../src/config/GatewayFile.ts"
import { calledModels } from "../../src/contract/kinds.ts"

const upstreams = {
  one: { protocol: "openai-chat", base_url: "http://127.0.0.1:1/v1" },
  films: { protocol: "ark-video", base_url: "http://127.0.0.1:1" }
} as const satisfies GatewayFile["upstreams"]

const read = (models: GatewayFile["models"], more: GatewayFile = {}) =>
  catalogueOf(
    {
      value: { upstreams, models, ...more },
      complain: (path, message) => new BadSettings({ message: `${path.join("/")} | ${message}` })
    },
    []
  )
const wrong = (models: GatewayFile["models"], more?: GatewayFile) =>
  Either.match(read(models, more), { onLeft: ({ message }) => message, onRight: () => "" })

type Models = NonNullable<GatewayFile["models"]>
const to = (fallbacks: object, upstream = "one"): Models[string] => ({ routes: [{ upstream }], fallbacks })

describe("fallbacks", () => {
  it("are models by reason, which an alias has from its target", () => {
    const models = Either.getOrThrow(
      read({
        big: "one",
        "team/*": to({ failed: "big" }),
        small: to({ too_long: "big", refused: ["team/a", "big"] }),
        fast: { alias: "small" }
      })
    )
    const small = { too_long: ["big"], refused: ["team/a", "big"] }
    expect(["small", "fast", "team/x", "big"].map((id) => models.get(id)?.fallbacks)).toEqual([
      small,
      small,
      { failed: ["big"] },
      undefined
    ])
  })

  it.each<[string, Models, string]>([
    ["itself", { a: to({ failed: "a" }) }, "models/a/fallbacks | models.a.fallbacks: they lead back: a → a"],
    [
      "a model that leads back, for whatever reason",
      { a: to({ failed: "b" }), b: to({ too_long: ["c", "a"] }), c: "one" },
      "models/a/fallbacks | models.a.fallbacks: they lead back: a → b → a"
    ],
    [
      "its own alias",
      { a: to({ failed: "fast" }), fast: { alias: "faster" }, faster: { alias: "a" } },
      "models/a/fallbacks | models.a.fallbacks: they lead back: a → fast (a)"
    ],
    [
      "an id that its own wildcard matches",
      { "c-*": to({ failed: "c-small" }) },
      "models/c-*/fallbacks | models.c-*.fallbacks: they lead back: c-* → c-small (c-*)"
    ],
    [
      "a wildcard that leads back by an alias",
      { a: to({ refused: "c-x" }), "c-*": to({ failed: "same" }), same: { alias: "a" } },
      "models/a/fallbacks | models.a.fallbacks: they lead back: a → c-x (c-*) → same (a)"
    ],
    [
      "an unknown model",
      { a: to({ failed: "b" }) },
      'models/a/fallbacks/failed | models.a.fallbacks.failed: there is no model "b"'
    ],
    [
      "a wildcard",
      { a: to({ too_long: "c-*" }), "c-*": "one" },
      "models/a/fallbacks/too_long | models.a.fallbacks.too_long: a wildcard can't be a fallback"
    ],
    [
      "a model of another kind",
      { a: to({ too_long: "my-embed" }), "my-embed": "one" },
      'models/a/fallbacks/too_long | models.a.fallbacks.too_long: "my-embed" is a model for embedding, not text'
    ],
    [
      "for videos",
      { film: to({ failed: "other" }, "films"), other: "films" },
      `models/film/fallbacks | models.film.fallbacks: only ${calledModels} have fallbacks`
    ]
  ])("can't be %s", (_, models, message) => {
    expect(wrong(models)).toBe(message)
  })

  it("a wildcard's id with an entry of its own is no loop", () => {
    expect(wrong({ "c-*": to({ failed: "c-small" }), "c-small": "one" })).toBe("")
  })

  it("an unknown model may be listed later", () => {
    const lists = { one: { ...upstreams.one, list_models: true } }
    expect(wrong({ a: to({ failed: "b" }) }, { upstreams: lists })).toBe("")
  })
})
