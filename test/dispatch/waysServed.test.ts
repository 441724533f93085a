import { describe, expect, it } from "@effect/vitest"
import { waysServed } from "../../src/dispatch/waysServed.ts"
import { demandsOf } from "../../src/generation/demandsOf.ts"
import type { Served } from "../../src/contract/records/Served.ts"
import type { CarriedField } from "../../src/generation/Conversation.ts"
import type { PassthroughEndpoint } from "../../src/upstreams/Upstream.ts"
import { Future } from "../../src/flow/Future.ts"

const endpoint: PassthroughEndpoint = { family: "chat", send: () => Future.die(new Error("not sent")) }
const passed = { endpoint }
const translated = { endpoint: undefined }
const tiers: ReadonlySet<CarriedField> = new Set(["serviceTier"])
const withTiers = { carries: tiers }

/** A request of chat or responses: `auto` is as nothing. */
const asking = (body: {
  readonly service_tier?: string
  readonly speed?: string
  readonly inference_geo?: string
}) => ({
  demands: demandsOf(body),
  conversation: { serviceTier: body.service_tier === "auto" ? undefined : body.service_tier }
})

describe("the tiers that a request is held at", () => {
  const defaults: Served = { tier: "priority" }
  it.each([
    ["a named one, where the upstream has tiers", passed, { service_tier: "flex" }, withTiers, undefined, ["flex"]],
    ["the same, translated", translated, { service_tier: "flex" }, withTiers, undefined, ["flex"]],
    [
      "full price, where one that has none may get it",
      passed,
      { service_tier: "flex" },
      {},
      undefined,
      [undefined, "flex"]
    ],
    ["full price, where a translation leaves it out", translated, { service_tier: "flex" }, {}, undefined, [undefined]],
    ["none", passed, {}, withTiers, undefined, [undefined]],
    ["the upstream's default", passed, {}, { ...withTiers, defaults }, undefined, ["priority"]],
    ["the same for auto", passed, { service_tier: "auto" }, { ...withTiers, defaults }, undefined, ["priority"]],
    ["the same, translated", translated, {}, { defaults }, undefined, ["priority"]],
    [
      "a plain one by name, not the default",
      passed,
      { service_tier: "default" },
      { ...withTiers, defaults },
      undefined,
      ["default"]
    ],
    ["one that was seen, or none", passed, {}, withTiers, "priority", [undefined, "priority"]],
    ["none that was seen, where one is named", passed, { service_tier: "flex" }, withTiers, "priority", ["flex"]],
    [
      "none that was seen, where the default is sent",
      passed,
      {},
      { ...withTiers, defaults: { tier: "flex" } },
      "priority",
      ["flex"]
    ]
  ])("%s", (_, route, body, upstream, seen, expected) => {
    expect(waysServed(route, asking(body), upstream, seen).map(({ tier }) => tier)).toEqual(expected)
  })
})

describe("the speed and the place that a request is held at", () => {
  it.each([
    ["are as named", passed, { speed: "fast", inference_geo: "us" }, {}, { speed: "fast", geo: "us" }],
    ["are told apart from none", passed, { inference_geo: "global" }, {}, { geo: "global" }],
    ["are not sent by a translation", translated, { speed: "fast", inference_geo: "global" }, {}, {}],
    ["are the upstream's default", passed, {}, { defaults: { geo: "global" } }, { geo: "global" }],
    [
      "are the default of a translation too",
      translated,
      { inference_geo: "us" },
      { defaults: { geo: "global" } },
      { geo: "global" }
    ],
    ["are named before the default", passed, { inference_geo: "us" }, { defaults: { geo: "global" } }, { geo: "us" }]
  ])("%s", (_, route, body, upstream, expected) => {
    expect(waysServed(route, asking(body), upstream)).toEqual([expected])
  })
})
