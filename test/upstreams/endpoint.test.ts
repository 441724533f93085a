import { expect, it } from "@effect/vitest"
import { protocolNames } from "../../src/config/sections/Upstream.ts"
import { wrongBaseUrl } from "../../src/config/baseUrl.ts"
import { addressOf } from "../../src/upstreams/Endpoint.ts"
import { protocolOf } from "../../src/upstreams/protocols.ts"

it.each([
  ["/v1", "https://api.example.com", "https://api.example.com/v1/messages"],
  ["/v1", "https://api.example.com/v1", "https://api.example.com/v1/messages"],
  ["/v1", "https://api.example.com/v1//", "https://api.example.com/v1/messages"],
  ["/v1", "https://api.example.com/proxy/", "https://api.example.com/proxy/v1/messages"],
  ["", "https://api.example.com/v2/", "https://api.example.com/v2/messages"],
  ["", "https://api.example.com", "https://api.example.com/messages"]
] as const)("version %j behind %s", (version, baseUrl, address) => {
  expect(addressOf({ version }, baseUrl, "/messages")).toBe(address)
})

const listings = protocolNames.flatMap((name) => {
  const protocol = protocolOf(name)
  return protocol.kind === "text" ? [[name, protocol.listing] as const] : []
})

it.each(listings)("the whole endpoint of %s is no base URL", (_, { endpoint, models }) => {
  for (const path of [endpoint.path, models]) {
    expect(wrongBaseUrl(addressOf(endpoint, "https://api.example.com", path))).toContain(`leave "${path}" out`)
  }
})
