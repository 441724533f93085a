import { join } from "node:path"

export const upstream = (base: string, rest: string, key = "right-key-of-upstream") =>
  `upstreams: { up: { protocol: openai-chat, base_url: "${base}/v1", api_key: ${key} } }\n${rest}`
export const routed = (model: string) => `models: { first: { routes: [{ upstream: up, model: ${model} }] } }\n`

/** A broken installation, and the words for it. */
interface Broken {
  readonly what: string
  readonly yaml: string
  readonly env?: Record<string, string>
  readonly check: string
  readonly says: RegExp
  readonly setting: string
}

/** @param base another server, of `doctor.test.ts` */
export const brokenInstallations = (folder: string, base: string): ReadonlyArray<Broken> => [
  {
    what: "YAML that can't be read",
    yaml: "upstreams: {\n",
    check: "configuration",
    says: /gateway\.yaml:\d/,
    setting: "gateway.yaml"
  },
  {
    what: "an unknown field",
    yaml: "sever: {}\n",
    check: "configuration",
    says: /sever/,
    setting: "line 1"
  },
  {
    what: "a missing variable",
    yaml: upstream(base, "", '"${NOT_THERE}"'),
    check: "configuration",
    says: /NOT_THERE/,
    setting: "Set NOT_THERE"
  },
  {
    what: "a wrong key of an upstream",
    yaml: upstream(base, routed("one"), "wrong-key-of-upstream"),
    check: "upstream up",
    says: /401/,
    setting: "upstreams.up.api_key"
  },
  {
    what: "an upstream that is away",
    yaml: `upstreams: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1" } }\n`,
    check: "upstream up",
    says: /ECONNREFUSED/,
    setting: "upstreams.up.base_url"
  },
  {
    what: "a model that its upstream lacks",
    yaml: upstream(base, routed("another")),
    check: "upstream up",
    says: /does not list "another"/,
    setting: "models.first.routes"
  },
  {
    what: "a database that is away",
    yaml: `database: { url: "postgres://u:p@127.0.0.1:1/gateway" }\n`,
    check: "database",
    says: /can't be reached/,
    setting: "database.url"
  },
  {
    what: "the same by a variable",
    yaml: "",
    env: { GATEWAY_DATABASE_URL: "postgres://u:p@127.0.0.1:1/gateway" },
    check: "database",
    says: /can't be reached/,
    setting: "GATEWAY_DATABASE_URL"
  },
  {
    what: "a Redis that is away",
    yaml: `redis: { url: "redis://127.0.0.1:1" }\n`,
    check: "redis",
    says: /can't be reached/,
    setting: "redis.url"
  },
  {
    what: "a bucket that refuses",
    yaml: `files: { at: "s3://bucket", endpoint: "${base}", access_key_id: abcdef, secret_access_key: ghijkl }\n`,
    check: "bucket",
    says: /AccessDenied/,
    setting: "files.access_key_id"
  },
  {
    what: "a disk that is nearly full",
    yaml: "files: { free_bytes: 9000000000000000 }\n",
    check: "data directory",
    says: /less than/,
    setting: "GATEWAY_DATA_DIRECTORY"
  },
  {
    what: "a data directory that can't be written to",
    yaml: "",
    env: { GATEWAY_DATA_DIRECTORY: join(folder, "gateway.yaml", "data") },
    check: "data directory",
    says: /can't be written to \(ENOTDIR\)/,
    setting: "GATEWAY_DATA_DIRECTORY"
  },
  {
    what: "a provider of sign-in that is another",
    yaml: `server: { public_url: "http://127.0.0.1:9" }\nsign_in: { oidc: [{ issuer: "${base}/login", client_id: a, client_secret: secret-of-client }], roles: [{ group: all, role: auditor }] }\n`,
    check: "sign-in",
    says: /login can't be asked/,
    setting: "sign_in.oidc[].issuer"
  },
  {
    what: "an issuer of tokens that is away",
    yaml: `sign_in: { jwt: [{ issuer: "http://127.0.0.1:1", audience: gateway, account: default }] }\n`,
    check: "sign-in",
    says: /can't be asked/,
    setting: "sign_in.jwt[].issuer"
  },
  {
    what: "a public URL where another site answers",
    yaml: `server: { public_url: "${base}" }\n`,
    check: "public URL",
    says: /something else answers \(404\)/,
    setting: "server.public_url"
  }
]
