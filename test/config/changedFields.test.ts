import { expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import { changedFields, changedText } from "../../src/config/changedFields.ts"

const house = { base_url: "https://user:planted@house.test/v1", api_key: Redacted.make("planted-1") }
const before = {
  upstreams: { house },
  models: { fast: "house", gone: { routes: [{ upstream: "house", model: "m" }] } },
  keys: [
    { name: "ci", secret: Redacted.make("planted-2"), models: ["fast"] },
    { name: "app", secret: Redacted.make("planted-3") }
  ]
}

it("what changed in a file is named by its path, with values but without secrets", () => {
  const changed = changedFields(before, {
    upstreams: {
      house: { ...house, base_url: "https://user:planted@other.test/v1", api_key: Redacted.make("planted-4") }
    },
    models: { fast: "house", new: "house" },
    keys: [{ name: "app", secret: Redacted.make("planted-3"), models: ["*"] }]
  })
  expect(changed).toEqual({
    before: {
      "upstreams.house.base_url": "https://[secret]@house.test/v1",
      "upstreams.house.api_key": "[secret]",
      "models.gone.routes": [{ upstream: "house", model: "m" }],
      "keys.ci.name": "ci",
      "keys.ci.secret": "[secret]",
      "keys.ci.models": ["fast"],
      "models.new": null,
      "keys.app.models": null
    },
    after: {
      "upstreams.house.base_url": "https://[another secret]@other.test/v1",
      "upstreams.house.api_key": "[another secret]",
      "models.gone.routes": null,
      "keys.ci.name": null,
      "keys.ci.secret": null,
      "keys.ci.models": null,
      "models.new": "house",
      "keys.app.models": ["*"]
    }
  })
})

it("nothing is told of two equal files, and of many changes how many more there are", () => {
  expect(changedFields(before, { ...before, keys: [...before.keys] })).toBeUndefined()
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`m${index}`, "house"]))
  const changed = changedFields({}, { models: many })
  expect(Object.keys(changed?.before ?? {})).toHaveLength(200)
  expect(changed?.after["…"]).toBe("100 more fields")
})

it("documents are compared as they are written: variables are shown, what could be a secret is not", () => {
  const document = (key: string, note: string) =>
    `upstreams: { house: { base_url: "http://up.test", api_key: "${key}", note: "${note}" } }`
  expect(changedText(document("${OLD}", "sk-planted-0123456789"), document("${NEW}", "x".repeat(3_000)))).toEqual({
    before: { "upstreams.house.api_key": "${OLD}", "upstreams.house.note": "[secret]" },
    after: { "upstreams.house.api_key": "${NEW}", "upstreams.house.note": `"${"x".repeat(999)}…` }
  })
  expect(changedText(document("planted", "n"), document("${NEW}", "n"))?.before).toEqual({
    "upstreams.house.api_key": "[secret]"
  })
  expect(changedText("", "log: { level: debug }")).toEqual({
    before: { "log.level": null },
    after: { "log.level": "debug" }
  })
})
