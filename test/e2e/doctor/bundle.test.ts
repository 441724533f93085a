import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { GatewayFile } from "../../../src/config/GatewayFile.ts"
import { secretVariables } from "../../../src/config/secretVariables.ts"
import { doctorIn } from "./report.ts"
import type { Report } from "./report.ts"
import { secretPaths } from "./secretPaths.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-doctor-bundle-"))
const doctor = doctorIn(folder)

/** It refuses everything, and repeats what it was sent. */
const echo = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const message = JSON.stringify([request.url, Object.fromEntries(request.headers), await request.text()])
    return Response.json(
      { error: { message, type: "invalid_request_error" }, error_description: message },
      { status: 400 }
    )
  }
})
const at = `http://127.0.0.1:${echo.port}`
afterAll(async () => {
  await echo.stop(true)
  rmSync(folder, { recursive: true })
})

/** The planted secrets, by their places. */
const planted = new Map<string, string>()
const plant = (path: string): string => {
  const secret = `planted/${planted.size}+of.${path.replaceAll(/[^a-z_]/g, "")}`
  planted.set(path, secret)
  return secret
}
const fileOf = (path: string, text: (secret: string) => string): string => {
  const file = join(folder, `${planted.size}.secret`)
  writeFileSync(file, text(plant(path)))
  return file
}
const pem = (path: string) =>
  fileOf(path, (secret) => `-----BEGIN CERTIFICATE-----\n${secret}\n-----END CERTIFICATE-----\n`)
const tls = (path: string) => ({ ca: pem(`${path}.ca`), cert: pem(`${path}.cert`), key: pem(`${path}.key`) })
const address = (path: string, url: string) => url.replace("//", `//user:${encodeURIComponent(plant(path))}@`)
const printed = (path: string) => ({ command: ["echo", plant(path)] })
const hook = (path: string) => {
  const secret = `whsec_${Buffer.from(plant(path).padEnd(32, "0")).toString("base64")}`
  planted.set(path, secret)
  return secret
}
const proxy = (path: string) => address(path, "http://127.0.0.1:1")
const up = (rest: object) => ({ protocol: "openai-chat", base_url: `${at}/v1`, proxy: "off", ...rest })

/** Documents with a secret in each place that may have one. */
const documents = [
  {
    database: {
      url: address("database.url", "postgres://127.0.0.1:1/one"),
      direct_url: address("database.direct_url", "postgres://127.0.0.1:1/one")
    },
    upstreams: {
      keyed: up({ api_key: plant("upstreams.*.api_key"), headers: { "x-own": printed("upstreams.*.headers.*") } }),
      several: up({ keys: [plant("upstreams.*.keys.*"), { key: plant("upstreams.*.keys.*.key") }] }),
      secure: up({ base_url: "https://127.0.0.1:1/v1", tls: tls("upstreams.*.tls") }),
      proxied: up({ base_url: "http://any.invalid/v1", proxy: proxy("upstreams.*.proxy") }),
      aws: {
        provider: "bedrock",
        region: "eu-west-1",
        base_url: at,
        auth: {
          kind: "aws",
          access_key_id: plant("upstreams.*.auth.access_key_id"),
          secret_access_key: plant("upstreams.*.auth.secret_access_key"),
          session_token: plant("upstreams.*.auth.session_token")
        }
      },
      google: {
        provider: "vertex",
        project: "one",
        region: "europe-west1",
        base_url: at,
        auth: {
          kind: "google",
          credentials_file: fileOf("upstreams.*.auth.credentials_file", (secret) =>
            JSON.stringify({
              type: "authorized_user",
              client_id: "id",
              client_secret: secret,
              refresh_token: secret,
              token_uri: at
            })
          )
        }
      },
      azure: {
        provider: "foundry",
        base_url: at,
        auth: { kind: "azure", tenant_id: "t", client_id: "id", client_secret: plant("upstreams.*.auth.client_secret") }
      }
    },
    keys: [{ name: "one", secret: plant("keys.*.secret") }],
    admin_keys: [{ name: "one", role: "auditor", secret: plant("admin_keys.*.secret") }],
    sign_in: {
      oidc: [{ issuer: `${at}/oidc`, client_id: "id", client_secret: plant("sign_in.oidc.*.client_secret") }],
      roles: [{ group: "all", role: "auditor" }]
    },
    proxy: proxy("proxy"),
    search: {
      provider: "searxng",
      base_url: `${at}/search`,
      api_key: plant("search.api_key"),
      proxy: proxy("search.proxy")
    },
    guardrails: {
      open: { url: `${at}/hook`, secret: hook("guardrails.*.secret"), proxy: proxy("guardrails.*.proxy") },
      secure: { url: "https://127.0.0.1:1/hook", secret: hook("another guardrail"), tls: tls("guardrails.*.tls") }
    },
    mcp: {
      servers: {
        keyed: {
          url: `${at}/mcp`,
          api_key: plant("mcp.servers.*.api_key"),
          headers: { "x-own": plant("mcp.servers.*.headers.*") },
          proxy: "off"
        },
        person: {
          url: `${at}/person`,
          auth: "person",
          issuer: at,
          client_id: "id",
          client_secret: plant("mcp.servers.*.client_secret"),
          proxy: proxy("mcp.servers.*.proxy")
        },
        secure: { url: "https://127.0.0.1:1/mcp", tls: tls("mcp.servers.*.tls") }
      }
    },
    redis: { url: address("redis.url", "redis://127.0.0.1:1") },
    alerts: { url: `${at}/\${PATH_OF_ALERTS}`, secret: hook("alerts.secret") },
    files: {
      at: "s3://bucket",
      endpoint: at,
      access_key_id: plant("files.access_key_id"),
      secret_access_key: plant("files.secret_access_key"),
      session_token: plant("files.session_token")
    }
  },
  {
    database: address("database", "postgres://127.0.0.1:1/one"),
    redis: {
      sentinel: {
        hosts: ["127.0.0.1:1"],
        name: "main",
        password: plant("redis.sentinel.password"),
        sentinel_password: plant("redis.sentinel.sentinel_password")
      }
    }
  },
  // It is refused, so that its secrets are not known.
  { upstreams: { broken: up({ api_key: plant("a key of broken settings"), no_such_field: 1 }) } }
]

const environment = {
  PATH_OF_ALERTS: plant("${NAME} of a setting that is no secret"),
  VENDOR_API_KEY: plant("a variable whose name tells"),
  OTEL_EXPORTER_OTLP_ENDPOINT: at,
  OTEL_EXPORTER_OTLP_HEADERS: `x-tenant=one,authorization=Bearer ${plant("OTEL_EXPORTER_OTLP_HEADERS")}`,
  HTTPS_PROXY: proxy("HTTPS_PROXY")
}
const addresses: Readonly<Record<string, string>> = {
  GATEWAY_DATABASE_URL: "postgres://127.0.0.1:1/one",
  GATEWAY_DATABASE_DIRECT_URL: "postgres://127.0.0.1:1/one",
  GATEWAY_REDIS_URL: "redis://127.0.0.1:1"
}
const variables = Object.fromEntries(
  secretVariables.map((name) => {
    const url = addresses[name]
    return [name, url === undefined ? plant(name).padEnd(40, "0") : address(name, url)]
  })
)

it("plants a secret in each place of the settings that has one", () => {
  const places = [...secretPaths(GatewayFile.ast)]
  expect(places.length).toBeGreaterThan(30)
  expect(places.filter((place) => !planted.has(place))).toEqual([])
})

it.each([
  ["a configuration", documents[0], environment],
  ["further settings of it", documents[1], environment],
  ["a configuration that can't be read", documents[2], environment],
  ["the environment", { files: { at: "s3://bucket", endpoint: at } }, { ...environment, ...variables }]
] as const)("writes and prints no secret of %s", { timeout: 60_000 }, async (_, document, env) => {
  const path = join(folder, "bundle.json")
  const { err, json, out } = await doctor(JSON.stringify(document), env, ["--json", "--bundle", path])
  const text = readFileSync(path, "utf8")
  for (const [place, secret] of planted) {
    for (const form of [secret, encodeURIComponent(secret), btoa(secret)]) {
      expect([place, text.includes(form), `${out}${err}`.includes(form)]).toEqual([place, false, false])
    }
  }
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const { settings, variables } = JSON.parse(text)
  const isBroken = json<Report>().findings.some(({ check, level }) => check === "configuration" && level === "problem")
  expect(isBroken, out).toBe(document === documents[2])
  if (document === documents[0]) {
    expect(settings["upstreams.keyed.api_key"]).toBe("[secret]")
    expect(settings["upstreams.keyed.base_url"]).toBe(`${at}/v1`)
    // What was sent came back.
    expect(text).toContain("upstream keyed")
  }
  if (env === environment) expect(variables).not.toContain("GATEWAY_ADMIN_KEY")
  else expect(variables).toContain("GATEWAY_ADMIN_KEY")
})
