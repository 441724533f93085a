import { describe, expect, it } from "@effect/vitest"
import { bodyWithoutEntrusted, entrustedIn, withoutEntrusted } from "../../../src/contract/callers/entrusted.ts"

const url = "https://someone:a-long-password@crm.example.com/s/segment-of-a-secret/mcp?key=query-of-a-secret"
const mcp = {
  type: "mcp",
  server_label: "crm",
  server_url: url,
  authorization: "authorization-of-crm",
  headers: { "X-Tenant": "tenant-of-crm", Authorization: "Bearer bearer-of-crm" },
  allowed_tools: ["token", "headers"]
}
const shell = {
  type: "shell",
  environment: {
    network_policy: { domain_secrets: [{ domain: "a.example.com", name: "KEY", value: "value-of-domain" }] }
  }
}
/** Its parameters have names of secrets. */
const own = { type: "function", name: "sign_in", parameters: { properties: { token: { type: "string" } } } }
const server = { name: "crm", url: "https://crm.example.com", authorization_token: "token-of-server" }

describe("what a request entrusts", () => {
  it("is replaced in tools and servers, and the rest stays", () => {
    expect(withoutEntrusted([mcp, shell, own])).toEqual([
      {
        ...mcp,
        server_url: "https://crm.example.com/[redacted]",
        authorization: "[redacted]",
        headers: { "X-Tenant": "[redacted]", Authorization: "[redacted]" }
      },
      {
        ...shell,
        environment: {
          network_policy: { domain_secrets: [{ domain: "a.example.com", name: "KEY", value: "[redacted]" }] }
        }
      },
      own
    ])
    const body = { model: "m", tools: [own], mcp_servers: [server], metadata: { token: "of the caller's own" } }
    expect(bodyWithoutEntrusted(body)).toEqual({
      ...body,
      mcp_servers: [{ ...server, authorization_token: "[redacted]" }]
    })
  })

  it("is replaced in tools that an item adds, and in an address without its scheme", () => {
    const added = { type: "additional_tools", tools: [{ ...mcp, server_url: "crm.example.com/a-path-of-secrets" }] }
    const body = { input: [{ role: "user", content: "Hi" }, added] }
    const shown = JSON.stringify(bodyWithoutEntrusted(body))
    for (const secret of entrustedIn(body)) expect(shown).not.toContain(secret)
    expect(entrustedIn(body)).toEqual(expect.arrayContaining(["crm.example.com/a-path-of-secrets", "tenant-of-crm"]))
    expect(shown).toContain('"content":"Hi"')
  })

  it("costs no copy where there is nothing", () => {
    const tools = [own, { type: "web_search" }, { type: "custom", name: "token" }, { name: "t", input_schema: {} }]
    const body = { tools, input: [{ type: "additional_tools", tools }] }
    expect(withoutEntrusted(tools)).toBe(tools)
    expect(bodyWithoutEntrusted(body)).toBe(body)
    expect([entrustedIn(body), entrustedIn("a text"), entrustedIn({ tools: "none" })]).toEqual([[], [], []])
  })

  it("is found, longer texts first, to cut it from words", () => {
    expect(new Set(entrustedIn({ tools: [mcp, shell, own], mcp_servers: [server] }))).toEqual(
      new Set([
        "a-long-password",
        "segment-of-a-secret",
        "query-of-a-secret",
        "authorization-of-crm",
        "tenant-of-crm",
        "Bearer bearer-of-crm",
        "bearer-of-crm",
        "value-of-domain",
        "token-of-server"
      ])
    )
    const lengths = entrustedIn({ tools: [mcp, shell] }).map((secret) => secret.length)
    expect(lengths).toEqual(lengths.toSorted((one, other) => other - one))
  })
})
