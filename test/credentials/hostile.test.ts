import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Auth } from "../../src/credentials/Auth.ts"
import { makeAwsAuth } from "../../src/credentials/awsAuth.ts"
import { makeAzureAuth } from "../../src/credentials/azureAuth.ts"
import { makeGoogleAuth } from "../../src/credentials/googleAuth.ts"
import type { Source } from "../../src/credentials/Source.ts"
import { fetchBy } from "../../src/upstreams/auth/fetchBy.ts"

const mebibyte = 1024 * 1024
const secret = "planted/secret+0123456789"

/** What the services of three clouds answer, whatever they are asked; they see all that is sent. */
const cloud = {
  answer: (): Response | Promise<Response> => new Response("unset"),
  /** The answer to the first of three questions that a machine is asked. */
  session: () => new Response("imds-token"),
  sentBytes: 0,
  isLeft: false,
  asked: [] as Array<string>,
  said: ""
}
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    cloud.asked.push(`${request.method} ${new URL(request.url).pathname}`)
    cloud.said = `${await request.text()} ${JSON.stringify([...request.headers])}`
    return request.method === "PUT" ? cloud.session() : cloud.answer()
  }
})
const url = `http://127.0.0.1:${server.port}`
const folder = mkdtempSync(join(tmpdir(), "gateway-hostile-clouds-"))
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
afterAll(async () => {
  for (const name of ["CONFIG_FILE", "SHARED_CREDENTIALS_FILE", "ENDPOINT_URL_STS", "WEB_IDENTITY_TOKEN_FILE"]) {
    delete process.env[`AWS_${name}`]
  }
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

const sourceOf = (env: Readonly<Record<string, string>>, longestMs?: number): Source => ({
  env: { AWS_REGION: "us-east-1", ...env },
  fetch: fetchBy(undefined, longestMs),
  fetchLocally: fetchBy(undefined, longestMs),
  now: Date.now
})
const unset = { region: "us-east-1", profile: undefined, roleArn: undefined, fixed: undefined }
const models = "https://bedrock-runtime.us-east-1.amazonaws.com"
const aws = (env: Readonly<Record<string, string>>, more = {}, longestMs?: number) =>
  makeAwsAuth({ ...unset, ...more }, models, sourceOf(env, longestMs))
const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` }
const machine = { AWS_EC2_METADATA_SERVICE_ENDPOINT: url }

const call = { method: "POST", url: `${models}/x`, headers: {}, body: "{}" } as const
const refusal = (auth: Auth) =>
  Effect.promise(() =>
    auth.headers(call).then(
      (headers) => `sent ${JSON.stringify(headers)}`,
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
    )
  )

const endless = () => {
  const chunk = new Uint8Array(65_536).fill(32)
  cloud.sentBytes = 0
  return new Response(
    new ReadableStream({
      pull: async (controller) => {
        cloud.sentBytes += chunk.length
        if (cloud.sentBytes > 64 * mebibyte) await Bun.sleep(60_000)
        controller.enqueue(chunk)
      }
    })
  )
}

const dripping = () => {
  cloud.isLeft = false
  return new Response(
    new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep(20)
        controller.enqueue(new Uint8Array([32]))
      },
      cancel: () => {
        cloud.isLeft = true
      }
    })
  )
}

const profiles = {
  AWS_CONFIG_FILE: file(
    "config",
    "[profile boxed]\nrole_arn = arn:aws:iam::1:role/x\ncredential_source = EcsContainer\n" +
      "[profile there]\nrole_arn = arn:aws:iam::1:role/x\ncredential_source = Ec2InstanceMetadata\n" +
      "[profile behind]\nrole_arn = arn:aws:iam::1:role/y\nsource_profile = there\n"
  ),
  AWS_SHARED_CREDENTIALS_FILE: file("credentials", "")
}
// AWS's library reads these of the process.
Object.assign(process.env, profiles)

const awsSources = [
  { what: "a container", env: container, more: {} },
  { what: "a machine", env: machine, more: {} },
  { what: "a profile of a container", env: container, more: { profile: "boxed" } },
  { what: "a profile of a machine", env: machine, more: { profile: "there" } },
  { what: "a profile behind one of a machine", env: machine, more: { profile: "behind" } }
]
describe("AWS's keys", () => {
  it.live.each(awsSources)("of $what: an endless answer is left at 1 MiB", ({ env, more }) =>
    Effect.gen(function* () {
      cloud.answer = endless
      expect(yield* refusal(yield* aws(env, more))).toMatch(/^no AWS credentials: 127.0.0.1:\d+: .*more than 1 MiB/)
      expect(cloud.sentBytes).toBeLessThan(32 * mebibyte)
    })
  )

  it.live.each(awsSources)("of $what: an answer that drips is left in time", ({ env, more }) =>
    Effect.gen(function* () {
      cloud.answer = dripping
      expect(yield* refusal(yield* aws(env, more, 300))).toMatch(/^no AWS credentials: .*no complete answer within/)
      yield* Effect.promise(() => expect.poll(() => cloud.isLeft).toBe(true))
    })
  )
})

const google = () =>
  makeGoogleAuth(
    { credentials: undefined, scopes: ["s"] },
    sourceOf({ GCE_METADATA_HOST: url.slice("http://".length) })
  )
const entra = () =>
  makeAzureAuth(
    { tenantId: "t", clientId: "c", clientSecret: Redacted.make(secret), scope: "s/.default" },
    sourceOf({ AZURE_AUTHORITY_HOST: url })
  )

const kinds = [
  { kind: "a container", auth: () => aws({ ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN: secret }) },
  {
    kind: "a web identity",
    auth: () => {
      process.env["AWS_ENDPOINT_URL_STS"] = url
      process.env["AWS_WEB_IDENTITY_TOKEN_FILE"] = file("web", secret)
      process.env["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/x"
      return aws({ AWS_WEB_IDENTITY_TOKEN_FILE: "set" })
    }
  },
  {
    kind: "Google",
    auth: () => {
      const user = { type: "authorized_user", client_id: "c", client_secret: "cs", refresh_token: secret }
      const credentials = Redacted.make(JSON.stringify({ ...user, token_uri: url }))
      return makeGoogleAuth({ credentials, scopes: ["s"] }, sourceOf({}))
    }
  },
  {
    kind: "Entra",
    auth: entra
  },
  {
    kind: "a managed identity",
    auth: () =>
      makeAzureAuth(
        { tenantId: undefined, clientId: undefined, clientSecret: undefined, scope: "s/.default" },
        sourceOf({ IDENTITY_ENDPOINT: url, IDENTITY_HEADER: secret })
      )
  }
]
const echoes = [200, 302, 400, 500].flatMap((status) => [
  { status, form: "text", echo: (said: string) => new Response(said, { status, headers: { location: `/?${said}` } }) },
  {
    status,
    form: "JSON",
    echo: (said: string) =>
      Response.json({ error: said, error_description: said, message: said, Code: said, Message: said }, { status })
  },
  { status, form: "a word", echo: () => new Response(secret, { status }) },
  {
    status,
    form: "XML",
    echo: (said: string) => {
      const text = `<ErrorResponse><Error><Code>X</Code><Message>${said.replaceAll("&", "&amp;")}</Message></Error></ErrorResponse>`
      return new Response(text, { status, headers: { "content-type": "text/xml" } })
    }
  }
])

describe.each(kinds)("the secret that is sent for $kind", ({ auth }) => {
  it.live.each(echoes)("is in no message, where an answer $status of $form repeats it", ({ echo }) =>
    Effect.gen(function* () {
      process.env["AWS_MAX_ATTEMPTS"] = "1"
      cloud.answer = () => echo(`${cloud.said} ${"long ".repeat(10_000)}`.replaceAll(/[^\x20-\x7e]/g, ""))
      const message = yield* refusal(yield* auth())
      expect(cloud.said).toContain("planted")
      expect(message).toMatch(/^no (?:AWS|Google|Azure) credentials: ./)
      expect(message).not.toContain("planted")
      expect(message.length).toBeLessThan(600)
    })
  )

  it.live("is in no message, where an answer is cut at its bound", () =>
    Effect.gen(function* () {
      cloud.answer = endless
      expect(yield* refusal(yield* auth())).toMatch(/^no (?:AWS|Google|Azure) credentials: .*more than 1 MiB$/)
      expect(cloud.sentBytes).toBeLessThan(32 * mebibyte)
    })
  )
})

describe("keys and tokens that no header carries", () => {
  const bad = [
    { what: "a line break", value: "planted\nx-admin: 1" },
    { what: "a control character", value: "planted\u0001-0123" },
    { what: "a letter outside ASCII", value: "planted-schlüssel" },
    { what: "two megabytes", value: "planted-".repeat(262_144) }
  ]
  const keys = { accessKeyId: "AKIA0000000000000001", secretAccessKey: "secret-0123456789" }
  const settings: ReadonlyArray<readonly [string, (value: string) => Effect.Effect<Auth>]> = [
    ["AWS_BEARER_TOKEN_BEDROCK", (value) => aws({ AWS_BEARER_TOKEN_BEDROCK: value })],
    ["access_key_id", (value) => aws({}, { fixed: { ...keys, accessKeyId: value } })],
    ["session_token", (value) => aws({}, { fixed: { ...keys, sessionToken: value } })],
    [
      "session_token",
      (value) => aws({}, { fixed: { ...keys, sessionToken: value }, roleArn: "arn:aws:iam::1:role/x" })
    ],
    ["AWS_CONTAINER_AUTHORIZATION_TOKEN", (value) => aws({ ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN: value })],
    [
      "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
      (value) => aws({ ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file("container", value) })
    ],
    [
      "IDENTITY_HEADER",
      (value) =>
        makeAzureAuth(
          { tenantId: undefined, clientId: undefined, clientSecret: undefined, scope: "s/.default" },
          sourceOf({ IDENTITY_ENDPOINT: url, IDENTITY_HEADER: value })
        )
    ]
  ]

  it.live.each(bad)("with $what are refused by the setting's name, and nothing is sent", ({ value }) =>
    Effect.gen(function* () {
      for (const [setting, auth] of settings) {
        cloud.asked.length = 0
        const message = yield* refusal(yield* auth(value))
        const rule = "(at most 32768 printable|larger than 65536)"
        expect(message).toMatch(new RegExp(`^no (AWS|Azure) credentials: ${setting}: .*${rule}`))
        expect(message).not.toContain("planted")
        expect(cloud.asked).toEqual([])
      }
    })
  )

  it.live.each(bad.slice(0, 3))("with $what that a service gives are refused", ({ value }) =>
    Effect.gen(function* () {
      const given = {
        ...keys,
        AccessKeyId: "A",
        SecretAccessKey: "S",
        Token: value,
        access_token: value,
        expires_in: 60
      }
      cloud.answer = () => Response.json(given)
      for (const auth of [aws(container), aws(machine), google(), entra()]) {
        const message = yield* refusal(yield* auth)
        expect(message).toMatch(/credentials: (?:session_|the )token of their service: expected at most/)
        expect(message).not.toContain("planted")
      }
      cloud.answer = () => new Response("role")
      cloud.session = () => new Response(value)
      expect(yield* refusal(yield* aws(machine))).toContain("the token of the machine's metadata service: expected")
      cloud.session = () => new Response("imds-token")
    })
  )
})

it.live("a service that does not answer is an outage, and what AWS answers without keys is told", () =>
  Effect.gen(function* () {
    const nobody = { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://127.0.0.1:1/container" }
    const auth = yield* aws(nobody)
    const cause = yield* Effect.promise(() => auth.headers(call).catch((cause: unknown) => cause))
    expect(cause).toMatchObject({ _tag: "NoCredentials", isOutage: true })
    cloud.answer = () => Response.json({ Code: "AssumeRoleUnauthorizedAccess" })
    expect(yield* refusal(yield* aws(machine))).toContain("gave no keys (AssumeRoleUnauthorizedAccess)")
    const elsewhere = { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://metadata.example.com/container" }
    expect(yield* refusal(yield* aws(elsewhere))).toContain("expected https, or http at a loopback")
  })
)
