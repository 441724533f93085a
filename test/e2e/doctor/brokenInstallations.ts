import { join } from "node:path"

export const upstream = (base: string, rest: string, key = "right-key-of-upstream") =>
  `upstreams: { up: { protocol: openai-chat, base_url: "${base}/v1", api_key: ${key} } }\n${rest}`
export const routed = (model: string) => `models: { first: { routes: [{ upstream: up, model: ${model} }] } }\n`

export const hookSecret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`
const away = "http://127.0.0.1:1"

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
    check: `sign-in ${base}/login`,
    says: /can't be asked/,
    setting: "sign_in.oidc[0].issuer"
  },
  {
    what: "an issuer of tokens that is away",
    yaml: `sign_in: { jwt: [{ issuer: "http://127.0.0.1:1", audience: gateway, account: default }] }\n`,
    check: "sign-in http://127.0.0.1:1",
    says: /can't be asked/,
    setting: "sign_in.jwt[0].issuer"
  },
  {
    what: "a public URL where another site answers",
    yaml: `server: { public_url: "${base}" }\n`,
    check: "public URL",
    says: /something else answers \(404\)/,
    setting: "server.public_url"
  },
  {
    what: "a text that YAML reads as an alias",
    yaml: "upstreams: { up: { protocol: openai-chat, api_key: *planted-secret } }\n",
    check: "configuration",
    says: /^(?!.*planted).*begins with \* needs quotes/,
    setting: "line 1"
  },
  {
    what: "a program that prints no secret",
    yaml: upstream(base, routed("one"), "{ command: [cat, /nowhere] }"),
    check: "configuration",
    says: /api_key: the command cat ended with exit code 1/,
    setting: "line 1"
  },
  {
    what: "a program whose arguments were written into one text",
    yaml: upstream(base, routed("one"), '{ command: ["no-such-program planted-secret"] }'),
    check: "configuration",
    says: /^(?!.*planted).*the command no-such-program can't be started: its arguments are entries of their own/,
    setting: "line 1"
  },
  {
    what: "a database whose program prints no address",
    yaml: "database: { url: { command: [cat, /nowhere] } }\n",
    check: "configuration",
    says: /database\.url: the command cat/,
    setting: "line 1"
  },
  {
    what: "a guardrail that is away",
    yaml: `guardrails: { hook: { url: "${away}", secret: "${hookSecret}" } }\n`,
    check: "guardrail hook",
    says: /ECONNREFUSED/,
    setting: "guardrails.hook.url"
  },
  {
    what: "a guardrail that gives no verdict",
    yaml: `guardrails: { hook: { url: "${base}/hook", secret: "${hookSecret}" } }\n`,
    check: "guardrail hook",
    says: /its answer is no verdict/,
    setting: "guardrails.hook.url"
  },
  {
    what: "a server of tools that is away",
    yaml: `mcp: { servers: { files: { url: "${away}/mcp" } } }\n`,
    check: "tools files",
    says: /could not be reached/,
    setting: "mcp.servers.files"
  },
  {
    what: "sentinels that are away",
    yaml: `redis: { sentinel: { hosts: ["127.0.0.1:1"], name: main } }\n`,
    check: "redis",
    says: /no sentinel names a master "main"/,
    setting: "redis.sentinel"
  },
  {
    what: "a collector of traces that is away",
    yaml: "",
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: away },
    check: "traces",
    says: /ECONNREFUSED/,
    setting: "OTEL_EXPORTER_OTLP_ENDPOINT"
  },
  {
    what: "a collector of traces that refuses its key",
    yaml: "",
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/closed`, OTEL_EXPORTER_OTLP_HEADERS: "authorization=wrong" },
    check: "traces",
    says: /answers with status 401/,
    setting: "OTEL_EXPORTER_OTLP_HEADERS"
  },
  {
    what: "a receiver of alerts that is away",
    yaml: `alerts: { url: "${away}", secret: "${hookSecret}" }\n`,
    check: "alerts",
    says: /ECONNREFUSED/,
    setting: "alerts.url"
  },
  {
    what: "a search that is away",
    yaml: `search: { provider: searxng, base_url: "${away}" }\n`,
    check: "search",
    says: /ECONNREFUSED/,
    setting: "search.base_url"
  },
  {
    what: "a proxy that is away",
    yaml: "",
    env: { HTTPS_PROXY: "http://user:planted-secret@127.0.0.1:1" },
    check: "proxy http://127.0.0.1:1",
    says: /can't be reached \(ECONNREFUSED\)/,
    setting: "HTTPS_PROXY"
  },
  {
    what: "an upstream's proxy that is away",
    yaml: `upstreams: { up: { protocol: openai-chat, base_url: "https://up.invalid/v1", proxy: "http://127.0.0.1:2" } }\n`,
    check: "proxy http://127.0.0.1:2",
    says: /can't be reached \(ECONNREFUSED\)/,
    setting: "upstreams.up.proxy"
  },
  {
    what: "a port that another program has",
    yaml: "",
    env: { GATEWAY_PORT: new URL(base).port },
    check: "running gateway",
    says: /something else answers \(404\)/,
    setting: "GATEWAY_PORT"
  },
  {
    what: "operators' own port that another program has",
    yaml: `server: { admin: { host: 127.0.0.1, port: ${new URL(base).port} } }\n`,
    check: "admin address",
    says: /something else answers \(404\)/,
    setting: "server.admin.port"
  }
]
